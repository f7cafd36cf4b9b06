"""`folio trace`: how an answer came about."""

from contextlib import closing

import typer

from agent.cli.options import AsJson, show
from agent.settings import load_settings
from agent.traces.kept import open_traces
from agent.view.text import trace_text

trace_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="What the agent did for a question.")


@trace_app.callback()
def trace() -> None:
    """Keep `show` a name of its own, though it is the only one."""


@trace_app.command("show")
def show_trace(trace_id: str, as_json: AsJson = False) -> None:
    """Show each thought, tool call and observation of an answer."""
    with closing(open_traces(load_settings())) as traces:
        record = traces.read(trace_id)
    show(record, [trace_text(record)], as_json=as_json)
