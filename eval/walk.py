"""`eval walk`: how many files of ours one question and one search enter, once everything is warm."""

import json as json_
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Annotated, Any

import typer

from agent.assistant import Assistant
from agent.sessions.store import SessionStore
from agent.settings import OFFLINE, load_settings
from eval.sets.load import SAMPLE
from retrieval.knowledge_base import KnowledgeBase

ROOT = Path(__file__).parents[1]
OURS = tuple(f"{ROOT / name}/" for name in ("agent", "retrieval", "preprocessing", "prompts"))
ASKED = ("病假需要提供什么证明？", "出差住宿每晚最多报销多少钱？")
"""What it is warmed up with, and what is counted."""


def walk_command(
    json: Annotated[bool, typer.Option("--json", help="Print the lists as JSON.")] = False,
) -> None:
    """Count the files that one question and one search enter: those in which the body of a function runs."""
    question, search = walk()
    if json:
        typer.echo(json_.dumps({"question": question, "search": search}))
        return
    for name, files in (("one question", question), ("one search", search)):
        typer.echo("\n".join([f"{name}: {len(files)} files", *(f"  {file}" for file in files)]))


def walk(settings: dict[str, Any] | None = None) -> tuple[list[str], list[str]]:
    """Return the files that a question that stands alone enters, and a search: offline, on the sample documents."""
    with TemporaryDirectory(prefix="folio-walk-", ignore_cleanup_errors=True) as home:
        own = load_settings(chat_model=OFFLINE, **(settings or {})).model_copy(
            update={"home": Path(home), "qdrant_url": None, "database_url": None}
        )
        with KnowledgeBase.open(own) as base:
            base.ingest([SAMPLE / "docs"])
            assistant = Assistant(own, base, None, SessionStore.in_memory())
            warm, counted = ASKED
            assistant.ask(warm)
            base.search(warm)
            question = entered(lambda: assistant.ask(counted))
            search = entered(lambda: base.search(counted))
            assistant.sessions.close()
    return question, search


def entered(work: Callable[[], object]) -> list[str]:
    """Return the files of ours in which a function body runs during the work, in any thread that it starts."""
    with _traced() as files:
        work()
    return sorted(files)


@contextmanager
def _traced() -> Iterator[set[str]]:
    files: set[str] = set()
    known: dict[str, str | None] = {}

    def call(frame: FrameType, event: str, _argument: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and frame.f_code.co_name != "<module>":
            if path not in known:
                known[path] = str(Path(path).relative_to(ROOT)) if path.startswith(OURS) else None
            if name := known[path]:
                files.add(name)

    threading.setprofile(call)
    sys.setprofile(call)
    try:
        yield files
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
