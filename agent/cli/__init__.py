"""The command line. Names and fields are a contract: scripts rely on them.

A command is loaded when it is called, so that its module imports at its top whatever it needs.
"""

import sys
from collections.abc import Mapping
from pkgutil import resolve_name

import typer
from typer.core import TyperCommand, TyperGroup

from preprocessing.errors import FolioError

COMMANDS = {
    "ingest": ("agent.cli.ingest:ingest", "Bring documents in, once or whenever they change."),
    "extract": (
        "agent.cli.documents:extract",
        "Show the text, sections and chunks that files give; nothing is stored.",
    ),
    "documents": ("agent.cli.documents:documents_app", "The documents of the knowledge base."),
    "search": ("agent.cli.search:search", "Search without an answer."),
    "ask": ("agent.cli.ask:ask", "Answer a question, with sources."),
    "chat": ("agent.cli.chat:chat", "Talk with the documents."),
    "trace": ("agent.cli.trace:trace_app", "What the agent did for a question."),
    "why-not": ("agent.cli.search:why_not", "Say where a search loses a document, and by how much."),
    "doctor": ("agent.cli.upkeep:doctor", "Say whether every leg finds passages of every language and type."),
    "migrate": ("agent.cli.upkeep:migrate", "Copy the documents to the Qdrant server of FOLIO_QDRANT_URL, or back."),
    "reindex": ("agent.cli.upkeep:reindex", "Embed all chunks anew with the model of FOLIO_EMBED_MODEL."),
    "serve": ("agent.cli.serve:serve", "Answer over HTTP."),
    "keys": ("agent.cli.serve:keys_app", "Keys for the HTTP server."),
    "mcp": ("agent.cli.mcp:mcp", "Serve the Model Context Protocol to other programs' agents."),
    "eval": ("eval.cli:app", "Measure how good it is: the same as `python -m eval`."),
}
"""Where each command is, a function or an app with commands of its own, and its line in the list of commands."""

EXTRAS = {"fastapi": "server", "uvicorn": "server", "mcp": "mcp"}
"""The extra of the distribution that a module comes with."""


def group_of(commands: Mapping[str, tuple[str, str]]) -> type[TyperGroup]:
    """Return the group of a table of commands, each loaded when it is called."""

    class Commands(TyperGroup):
        def __init__(self, **attributes: object) -> None:
            super().__init__(**attributes)  # type: ignore[arg-type]
            for name, (_, line) in commands.items():
                self.add_command(TyperCommand(name, help=line))

        def resolve_command(self, ctx, args):  # type: ignore[no-untyped-def]  # its types are typer's own
            """Return the loaded command in the place of its line."""
            name, _, rest = super().resolve_command(ctx, args)
            return name, loaded(str(name), commands[str(name)][0]), rest

    return Commands


def loaded(name: str, place: str):  # type: ignore[no-untyped-def]  # a command of typer's own
    """Return the command at a place of the table."""
    target = resolve_name(place)
    if not isinstance(target, typer.Typer):
        target, function = typer.Typer(rich_markup_mode=None, add_completion=False), target
        target.command(name)(function)
    command = typer.main.get_command(target)
    command.name = name
    return command


app = typer.Typer(
    cls=group_of(COMMANDS),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Answers from your documents, with sources.",
)


@app.callback()
def _folio() -> None:
    pass


def main() -> None:
    """Run the command line; what a person can mend is one line on standard error with exit code 2."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # One character that a console cannot write, or a pipe cannot be read as, must not lose the answer.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        app(prog_name="folio")
    except FolioError as error:
        _end(str(error))
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        _end(f"{sys.argv[1]} needs: pip install 'folio[{extra}]'")


def _end(problem: str) -> None:
    typer.echo(f"folio: {problem}", err=True)
    sys.exit(2)
