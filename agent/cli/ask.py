"""`folio ask`: an answer with its sources, or one for each line of a file."""

from pathlib import Path
from typing import Annotated

import typer

from agent.assistant import Assistant
from agent.cli.options import AsJson, AsOf, Filters, Viewer, one_or_many, print_json
from agent.sessions.turn import as_turns
from agent.settings import load_settings
from agent.view.text import print_answer, print_event
from preprocessing.errors import FolioError
from retrieval.filters import parse_filters


def ask(
    question: Annotated[str | None, typer.Argument(help="The question.")] = None,
    questions: Annotated[Path | None, typer.Option(help='JSON lines with "query" and, if wanted, "history".')] = None,
    session: Annotated[str | None, typer.Option(help="Go on with this conversation, or begin it.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show each decision.")] = False,
    filter_: Filters = None,
    viewer: Viewer = None,
    as_of: AsOf = None,
    as_json_: AsJson = False,
) -> None:
    """Answer a question, with sources."""
    if session and questions:
        raise FolioError('--session does not go with --questions: a line brings its conversation as "history"')
    asked = one_or_many(question, questions, "--questions")
    filters = parse_filters(filter_ or [])
    with Assistant.open(load_settings(), remember=questions is None) as assistant:
        for line in asked:
            answer = assistant.ask(
                line.query,
                session,
                history=as_turns([message.model_dump() for message in line.history or ()]),
                # Decisions go to standard error, so that a script reads nothing but answers.
                listen=print_event if verbose else None,
                filters=filters,
                viewer=viewer,
                as_of=as_of,
            )
            if as_json_ or questions:
                print_json(answer.as_json())
            else:
                print_answer(line.query, answer)
