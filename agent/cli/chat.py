"""`folio chat`: a conversation at the terminal."""

from typing import Annotated

import typer

from agent.assistant import Assistant
from agent.cli.options import AsOf, Filters, Viewer
from agent.repl.conversation import Conversation, new_session
from agent.repl.loop import run
from agent.settings import load_settings
from retrieval.filters import parse_filters


def chat(
    session: Annotated[str | None, typer.Option(help="Go on with this conversation, or begin it.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show each decision as it is made.")] = False,
    filter_: Filters = None,
    viewer: Viewer = None,
    as_of: AsOf = None,
) -> None:
    """Talk with the documents."""
    filters = parse_filters(filter_ or [])
    with Assistant.open(load_settings()) as assistant:
        run(Conversation(assistant, session or new_session(), verbose, viewer or (), filters, as_of))
