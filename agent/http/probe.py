"""Asks a server on this machine whether all is well, for whoever watches its container: exit status 0 or 1."""

import os
import sys
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

_SECONDS = 8


def main() -> int:
    """Return 0 when the server at FOLIO_HTTP__PORT answers that it can work, else 1 with a line that says why."""
    url = f"http://127.0.0.1:{os.environ.get('FOLIO_HTTP__PORT') or 8000}/health"
    try:
        # Whatever proxy there is for others is none for this machine.
        build_opener(ProxyHandler({})).open(url, timeout=_SECONDS).close()
    except (URLError, OSError) as error:
        sys.stderr.write(f"{url}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
