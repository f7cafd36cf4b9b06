"""The commands of `folio eval`, which are those of `python -m eval`.

A command is loaded when it is called, so that its module imports at its top whatever it needs.
"""

import sys

import typer

from agent.cli import group_of
from preprocessing.errors import FolioError

COMMANDS = {
    "retrieval": (
        "eval.tasks.retrieval:retrieval",
        "Compare vector, keyword, hybrid and reranked retrieval on one set.",
    ),
    "answers": ("eval.tasks.answers:answers", "Ask the whole agent, and score its answers, citations and refusals."),
    "attacks": (
        "eval.tasks.attacks:attacks",
        "Ask on documents that try to steer the model; exit status 1 when one changes anything.",
    ),
    "mutations": (
        "eval.tasks.mutations:mutations",
        "Change one fact in right answers, and count what the checks catch and what they accuse wrongly.",
    ),
    "compare": (
        "eval.runs.compare:compare_command",
        "Compare two runs question by question; exit status 1 on a significant loss.",
    ),
    "bench": ("eval.bench.story:bench_command", "Measure speed and memory side by side with stock parts."),
    "load": (
        "eval.bench.load:load_command",
        "Let many users at a server of this machine; exit status 1 when a request fails or an upload is lost.",
    ),
    "walk": ("eval.walk:walk_command", "Count the files that one question and one search enter."),
    "results": ("eval.results:results", "Write RESULTS.md from the runs that lie beside the code."),
}
"""Where each command is, and its line in the list of commands."""


app = typer.Typer(cls=group_of(COMMANDS), no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def main() -> None:
    """Measure how good each stage is."""


def run() -> None:
    """Run a command; what a person can mend is one line on standard error and exit status 2."""
    try:
        app()
    except FolioError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
