"""`folio trace`: how an answer came about, and whether it comes about again."""

from contextlib import closing
from dataclasses import asdict
from typing import Annotated, Any

import typer

from agent.cli.options import AsJson, show
from agent.replay import Found, Replayed, replay_live
from agent.replay import replay as replay_recorded
from agent.settings import Settings, load_settings
from agent.traces.kept import open_traces
from agent.view.text import trace_text
from retrieval.knowledge_base import KnowledgeBase

trace_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="What the agent did for a question.")


@trace_app.command("show")
def show_trace(trace_id: str, as_json: AsJson = False) -> None:
    """Show each thought, tool call and observation of an answer."""
    record = _read(load_settings(), trace_id)
    show(record, [trace_text(record)], as_json=as_json)


@trace_app.command("replay")
def replay(
    trace_id: str,
    live_retrieval: Annotated[
        bool, typer.Option("--live-retrieval", help="Search today's index, and show what that changes.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answer again from the recorded replies and hits; the exit code is 1 when the answer is another."""
    settings = load_settings()
    record = _read(settings, trace_id)
    if live_retrieval:
        with KnowledgeBase.open(settings) as knowledge_base:
            replayed = replay_live(record, settings, knowledge_base)
    else:
        replayed = replay_recorded(record, settings)
    value = {"same": replayed.is_same, **asdict(replayed)}
    show(value, _lines(replayed, live=live_retrieval), as_json=as_json)
    if not (live_retrieval or replayed.is_same):
        raise typer.Exit(1)


def _read(settings: Settings, trace_id: str) -> dict[str, Any]:
    with closing(open_traces(settings)) as traces:
        return traces.read(trace_id)


def _lines(replayed: Replayed, *, live: bool) -> list[str]:
    lines = ["every search finds what it found"] if live and not replayed.searches else []
    for search in replayed.searches:
        lines.append(f"search: {search.query}")
        lines += [f"  lost    {_found(found)}" for found in search.lost]
        lines += [f"  gained  {_found(found)}" for found in search.gained]
    if replayed.is_same:
        return [*lines, "the answer is the same, byte for byte"]
    return [*lines, "the answer is another:", *replayed.diff]


def _found(found: Found) -> str:
    section = f" › {found.section}" if found.section else ""
    return f"#{found.rank}  {found.source}{section}: {found.text}"
