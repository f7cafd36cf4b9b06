"""Many users at once on one server: how long they wait, what goes wrong, what is lost, and whether memory stays."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from eval.load_server import Server, serving
from eval.load_users import Request, Users
from eval.report import markdown_table
from eval.sets import load_set

SAMPLE = Path(__file__).parent / "data" / "sample"
_TOO_MANY = 429
_HEALTH_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Load:
    """What a load showed."""

    users: int
    seconds: float
    requests: Sequence[Request]
    memory: tuple[float, float, float]
    """MiB at the start, half way and at the end."""
    promised: int
    """Uploads that were acknowledged."""
    lost: Sequence[str]
    """What is not as it was acknowledged."""
    health: Sequence[str]
    """What each look at /health said: `ok`, or what was wrong."""
    faults: int
    """Errors in the log of the server."""

    @property
    def errors(self) -> list[Request]:
        """Return the requests that were not answered, or with an error other than 429."""
        return [one for one in self.requests if not 200 <= one.status < 400 and one.status != _TOO_MANY]


def run_load(users: int, seconds: float, settings: Mapping[str, str] | None = None) -> Load:
    """Let so many users at a new server for so many seconds; the documents are those of the sample."""
    with TemporaryDirectory(prefix="folio-load-") as folder, serving(Path(folder), settings) as server:
        return asyncio.run(_load(server, users, seconds))


async def _load(server: Server, count: int, seconds: float) -> Load:
    questions = [query.text for query in load_set(SAMPLE, "dev", whole_documents=True).queries]
    users = Users(server.url, questions)
    async with users.client() as client:
        for path in sorted((SAMPLE / "docs").iterdir()):
            await users.bring_in(client, path)
        # What is loaded at first is no growth.
        for question in questions[:2]:
            (await client.post("/api/chat", json={"question": question})).raise_for_status()
        memory, health = [server.mebibytes()], list[str]()
        ends = time.monotonic() + seconds
        looking = asyncio.create_task(_look(client, health))
        working = asyncio.gather(*(users.be(client, number, ends) for number in range(count)))
        await asyncio.sleep(seconds / 2)
        memory.append(server.mebibytes())
        await working
        looking.cancel()
        lost = await users.lost(client)
        memory.append(server.mebibytes())
    return Load(
        users=count,
        seconds=seconds,
        requests=users.requests,
        memory=(memory[0], memory[1], memory[2]),
        promised=len(users.promised) + len(users.deleted),
        lost=lost,
        health=health,
        faults=server.faults(),
    )


async def _look(client: httpx.AsyncClient, seen: list[str]) -> None:
    while True:
        try:
            response = await client.get("/health")
            seen.append(response.json()["status"] if response.status_code == 200 else f"status {response.status_code}")
        except httpx.HTTPError as error:
            seen.append(f"{type(error).__name__}: {error}")
        await asyncio.sleep(_HEALTH_SECONDS)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of the values does not exceed."""
    return sorted(values)[max(ceil(share * len(values)) - 1, 0)]


def load_table(load: Load) -> str:
    """Return what a load showed, as a table and lines."""
    rows = []
    for kind in dict.fromkeys(sorted(one.kind for one in load.requests)):
        of = [one for one in load.requests if one.kind == kind]
        times = [one.seconds for one in of]
        errors = sum(one in load.errors for one in of)
        p50, p95 = (f"{percentile(times, share):.2f} s" for share in (0.5, 0.95))
        rows.append([kind, str(len(of)), str(errors), p50, p95, f"{max(times):.2f} s"])
    wrong = Counter(said for said in load.health if said != "ok")
    start, middle, end = load.memory
    lines = [
        f"{load.users} users for {load.seconds:g} s: {len(load.requests):,} requests, {len(load.errors)} errors "
        f"other than 429, {sum(one.status == _TOO_MANY for one in load.requests)} times 429",
        "",
        markdown_table(["kind", "requests", "errors", "p50", "p95", "longest"], rows),
        "",
        f"memory {start:.0f} MiB at the start, {middle:.0f} half way, {end:.0f} at the end",
        f"{load.promised} uploads acknowledged, {len(load.lost)} not as acknowledged afterwards",
        f"health: {len(load.health)} looks, {sum(wrong.values())} not ok" + (f" {dict(wrong)}" if wrong else ""),
        f"errors in the log of the server: {load.faults}",
    ]
    return "\n".join([*lines, *(f"lost: {one}" for one in load.lost), *_described(load.errors)])


def _described(errors: Sequence[Request]) -> list[str]:
    counted = Counter(f"{one.kind} {one.status}: {one.problem}" for one in errors)
    return [f"error: {count} × {said}" for said, count in counted.most_common(10)]
