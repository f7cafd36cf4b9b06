"""`folio calibrate`: learn from the documents how sure an answer must be."""

from dataclasses import asdict
from typing import Annotated

import typer

from agent.settings import load_settings


def calibrate(
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the limit that comes with Folio.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask questions made from the documents, and set how sure an answer must be, or else be refused."""
    # Imported late: every other command starts without it.
    from agent.assistant import quoter_of
    from agent.cli import print_json
    from agent.quoting.calibrate import calibrate as run
    from agent.quoting.calibrate import forget_calibration, least_confidence
    from retrieval.knowledge_base import KnowledgeBase

    settings = load_settings()
    with KnowledgeBase.open(settings) as knowledge_base:
        before = least_confidence(knowledge_base)
        if reset:
            forget_calibration(knowledge_base)
            print_json({"least": least_confidence(knowledge_base)}) if as_json else typer.echo(
                f"the limit is {least_confidence(knowledge_base):.2f} again (before: {before:.2f})"
            )
            return
        found = run(knowledge_base, quoter_of(knowledge_base), settings.top_k)
    if as_json:
        print_json(asdict(found))
        return
    typer.echo(f"a question is refused below a confidence of {found.least:.2f} (before: {before:.2f})")
    typer.echo(
        f"of {found.questions} questions made from the documents it refuses {found.refused:.0%}, "
        f"and {found.refused_without:.0%} once the passage they were made from is left out"
    )
