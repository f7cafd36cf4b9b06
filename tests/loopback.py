"""What the servers of the tests have in common: a free port on loopback, a thread, and an end."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class LoopbackServer:
    """Hands every POST to `answer_to`, between `with` and its end."""

    def __enter__(self) -> Self:
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                served.answer_to(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def log_message(self, *_arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def answer_to(self, handler: BaseHTTPRequestHandler, body: Any) -> None:
        raise NotImplementedError
