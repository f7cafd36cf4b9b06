"""What the users of a load do: ask, search, bring in, take out, and hang up half way."""

import asyncio
import random
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from preprocessing.errors import FolioError

PAUSE_SECONDS = (0.2, 1.8)
"""Between two requests of a user."""
_SHARES = {"chat": 30, "stream": 15, "search": 30, "upload": 12, "delete": 6, "cut": 7}
_LONG_UPLOAD = 0.15
"""Share of uploads that are answered before they are in."""
_TIMEOUT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request and how it ended."""

    kind: str
    seconds: float
    status: int
    """Of HTTP; 0 when there was no answer."""
    problem: str = ""


@dataclass(slots=True)
class Users:
    """All users of a load, and what they were promised."""

    url: str
    questions: Sequence[str]
    requests: list[Request] = field(default_factory=list)
    promised: dict[str, str] = field(default_factory=dict)
    """Word of each document that was acknowledged → its name."""
    deleted: dict[str, str] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)
    """Word → id of documents that may be deleted."""
    _waiting: dict[str, str] = field(default_factory=dict)
    """Word → status address of uploads that were answered before they were in."""
    _number: int = 0

    def client(self) -> httpx.AsyncClient:
        """Return a client of the server; what proxy there is for others is none for it."""
        limits = httpx.Limits(max_connections=None)
        return httpx.AsyncClient(base_url=self.url, timeout=_TIMEOUT_SECONDS, trust_env=False, limits=limits)

    async def bring_in(self, client: httpx.AsyncClient, path: Path) -> None:
        """Bring a file in before the load begins. Raises FolioError when it is not taken."""
        response = await client.post("/api/documents", files={"file": (path.name, path.read_bytes())})
        failure = await _failure(client, response.json()["status_url"]) if response.status_code == 202 else None
        if response.status_code >= 400 or failure:
            raise FolioError(f"load: {path.name} was not brought in: {failure or response.text}")

    async def be(self, client: httpx.AsyncClient, number: int, ends: float) -> None:
        """Be one user until the time is over."""
        chance = random.Random(number)
        session = f"user-{number}"
        await asyncio.sleep(chance.uniform(0, PAUSE_SECONDS[1]))
        while time.monotonic() < ends:
            (kind,) = chance.choices(list(_SHARES), list(_SHARES.values()))
            await self.do(client, kind, session, chance)
            await asyncio.sleep(chance.uniform(*PAUSE_SECONDS))

    async def do(self, client: httpx.AsyncClient, kind: str, session: str, chance: random.Random) -> None:
        """Send one request of the kind."""
        question = chance.choice(self.questions)
        match kind:
            case "chat":
                await self._send(kind, client.post("/api/chat", json={"question": question, "session": session}))
            case "stream":
                await self._send(kind, _streamed(client, {"question": question, "session": session, "stream": True}))
            case "search":
                await self._send(kind, client.post("/api/search", json={"query": question}))
            case "upload":
                await self._upload(client, is_long=chance.random() < _LONG_UPLOAD)
            case "delete":
                await self._delete(client)
            case "cut":
                await self._send(kind, self._cut(client, question, is_answer=chance.random() < 0.5))

    async def lost(self, client: httpx.AsyncClient) -> list[str]:
        """Return what is not as it was acknowledged, once all is in: documents that are not found, or still are."""
        failures = {word: await _failure(client, url) for word, url in self._waiting.items()}
        failed = [f"{self.promised[word]}: {failure}" for word, failure in failures.items() if failure]
        found = {word: await _finds(client, word, name) for word, name in self.promised.items()}
        gone = {word: not await _finds(client, word, name) for word, name in self.deleted.items()}
        missing = [self.promised[word] for word, is_there in found.items() if not is_there]
        return [*failed, *missing, *(self.deleted[word] for word, is_so in gone.items() if not is_so)]

    async def _send(self, kind: str, sent: Awaitable[httpx.Response]) -> httpx.Response | None:
        began = time.perf_counter()
        try:
            response = await sent
        except httpx.HTTPError as error:
            self.requests.append(Request(kind, time.perf_counter() - began, 0, f"{type(error).__name__}: {error}"))
            return None
        problem = response.text[:300] if response.status_code >= 400 else ""
        self.requests.append(Request(kind, time.perf_counter() - began, response.status_code, problem))
        return None if problem else response

    async def _upload(self, client: httpx.AsyncClient, *, is_long: bool) -> None:
        self._number += 1
        word, name = f"LOAD-{self._number:05}", f"load-{self._number:05}.md"
        text = f"# 通知 {word}\n\n编号 {word} 的会议室可坐 {self._number + 3} 人。\n"
        if is_long:
            text += "\n## History\n\n" + "The room was painted again in spring, and its lamps were mended. " * 75
        files = {"file": (name, text.encode())}
        response = await self._send("upload", client.post("/api/documents", files=files))
        if response is None:
            return
        self.promised[word] = name
        if response.status_code == 202:
            self._waiting[word] = response.json()["status_url"]
        else:
            self._ids[word] = response.json()["document_id"]

    async def _delete(self, client: httpx.AsyncClient) -> None:
        # One that was answered before it was in may be in by now.
        for word, url in list(self._waiting.items())[:1]:
            state = await self._send("status", client.get(url))
            if state and (document := state.json()["document"]) and self._waiting.pop(word, None):
                self._ids[word] = document["document_id"]
        if not self._ids:
            return
        word, document_id = self._ids.popitem()
        name = self.promised.pop(word)
        if await self._send("delete", client.delete(f"/api/documents/{document_id}")) is not None:
            self.deleted[word] = name

    async def _cut(self, client: httpx.AsyncClient, question: str, *, is_answer: bool) -> httpx.Response:
        """Hang up: after the first event of an answer, or in the middle of a body."""
        if is_answer:
            async with client.stream("POST", "/api/chat", json={"question": question, "stream": True}) as response:
                await anext(response.aiter_bytes(), b"")
            return httpx.Response(response.status_code)
        host, port = self.url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        head = "POST /api/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        part = '--b\r\nContent-Disposition: form-data; name="file"; filename="cut.md"\r\n\r\nhalf of'
        writer.write(f"{head}Content-Length: 5000\r\n\r\n{part}".encode())
        await writer.drain()
        writer.close()
        return httpx.Response(200)


async def _streamed(client: httpx.AsyncClient, body: dict[str, Any]) -> httpx.Response:
    async with client.stream("POST", "/api/chat", json=body) as response:
        text = (await response.aread()).decode("utf-8")
    if response.status_code == 200 and "event: done" not in text:
        raise httpx.RemoteProtocolError(f"the stream ended without an answer: {text[-200:]}")
    return response


async def _failure(client: httpx.AsyncClient, status_url: str) -> str | None:
    """Wait until an upload is in, and return why it is not."""
    ends = time.monotonic() + _TIMEOUT_SECONDS
    while time.monotonic() < ends:
        state: dict[str, Any] = (await client.get(status_url)).json()
        if state.get("status") not in ("waiting", "running"):
            return None if state.get("status") == "done" else str(state)
        await asyncio.sleep(0.1)
    return "still not in"


async def _finds(client: httpx.AsyncClient, word: str, name: str) -> bool:
    response = await client.post("/api/search", json={"query": word, "mode": "keyword", "rerank": False, "top_k": 50})
    return any(hit["filename"] == name for hit in response.json()["hits"])
