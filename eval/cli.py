"""The commands of `folio eval`, which are those of `python -m eval`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from preprocessing.errors import FolioError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

DataOption = Annotated[Path, typer.Option("--data", help="Folder of the set.", show_default=False)]
SplitOption = Annotated[str, typer.Option(help="Folder of the questions within the set.")]
CorpusOption = Annotated[
    list[Path] | None,
    typer.Option("--corpus", help="Folder whose corpus.jsonl is searched instead of the set's own; may be repeated."),
]
DocumentsOption = Annotated[
    bool, typer.Option("--whole-documents", help="Chunk and search docs/, also where there are ready-made passages.")
]


@app.callback()
def main() -> None:
    """Measure how good each stage is."""


@app.command()
def retrieval(
    data: DataOption,
    split: SplitOption = "dev",
    corpus: CorpusOption = None,
    whole_documents: DocumentsOption = False,
    mode: Annotated[
        list[str] | None,
        typer.Option(help="Row to score: vector, keyword, hybrid or rerank; may be repeated. All of them by default."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Score the first N questions only.")] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also print intervals, question types and the time of each stage.")
    ] = False,
    json: Annotated[Path | None, typer.Option(help="Write the run, with the scores of each question, here.")] = None,
) -> None:
    """Compare vector, keyword, hybrid and reranked retrieval on one set."""
    # Retrieval takes long to import; `--help` need not wait for it.
    from agent.settings import load_settings
    from eval import report
    from eval.run_retrieval import run_retrieval
    from eval.sets import load_set
    from eval.stages import choose_rows

    eval_set = load_set(data, split, corpora=corpus or (), whole_documents=whole_documents)
    settings = load_settings()
    rows = choose_rows(mode or [], settings.rerank_model)
    run = run_retrieval(eval_set, settings, rows, limit=limit, keep=json)
    typer.echo(report.retrieval_table(run))
    if details:
        typer.echo("\n" + report.details(run))


def run() -> None:
    """Run a command; what a person can mend is one line on standard error and exit status 2."""
    try:
        app()
    except FolioError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
