"""`folio trace`: how an answer came about, and whether it comes about again."""

from contextlib import closing
from dataclasses import asdict
from typing import Annotated, Any

import typer

from agent.cli.options import AsJson, print_json
from agent.executor import quoter_of
from agent.replay import Found, Replayed, replay_live
from agent.replay import replay as replay_recorded
from agent.settings import Settings, load_settings
from agent.traces.kept import open_traces
from agent.traces.secret_values import SecretValues
from agent.view.text import print_trace, printable
from retrieval.knowledge_base import KnowledgeBase

trace_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="What the agent did for a question.")


@trace_app.command("show")
def show(trace_id: str, as_json: AsJson = False) -> None:
    """Show each thought, tool call and observation of an answer."""
    record = _read(load_settings(), trace_id)
    if as_json:
        print_json(record)
    else:
        print_trace(record)


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
            replayed = replay_live(record, settings, knowledge_base, quoter_of(knowledge_base))
    else:
        replayed = replay_recorded(record, SecretValues.of(settings))
    if as_json:
        print_json({"same": replayed.is_same, **asdict(replayed)})
    else:
        typer.echo(printable("\n".join(_lines(replayed, live=live_retrieval))))
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
