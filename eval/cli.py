"""The commands of `folio eval`, which are those of `python -m eval`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from eval.options import (
    CorpusOption,
    DataOption,
    DocumentsOption,
    JsonOption,
    LimitOption,
    ResumeOption,
    RewriteOption,
    RunsOption,
    SplitOption,
)
from preprocessing.errors import FolioError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

RUNS = Path("eval", "runs")
"""Folder of the runs within FOLIO_HOME."""


@app.callback()
def main() -> None:
    """Measure how good each stage is."""


@app.command()
def retrieval(
    data: DataOption,
    split: SplitOption = "dev",
    corpus: CorpusOption = None,
    whole_documents: DocumentsOption = False,
    questions: Annotated[
        str, typer.Option(help="File of the split with the questions, where there is more than one.")
    ] = "queries.jsonl",
    mode: Annotated[
        list[str] | None,
        typer.Option(help="Row to score: vector, keyword, hybrid or rerank; may be repeated. All of them by default."),
    ] = None,
    rewrite: RewriteOption = "none",
    limit: LimitOption = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also print intervals, question types and the time of each stage.")
    ] = False,
    json: JsonOption = None,
    runs: RunsOption = None,
    resume: ResumeOption = None,
) -> None:
    """Compare vector, keyword, hybrid and reranked retrieval on one set."""
    # Retrieval takes long to import; `--help` need not wait for it.
    from agent.settings import load_settings
    from eval.report import details as details_of
    from eval.report import retrieval_table
    from eval.run_retrieval import run_retrieval
    from eval.runs import run_file
    from eval.sets import load_set
    from eval.stages import choose_rows

    eval_set = load_set(data, split, questions=questions, corpora=corpus or (), whole_documents=whole_documents)
    settings = load_settings()
    rows = choose_rows(mode or [], reranks=settings.rerank != "none")
    keep = json or resume or run_file(runs or settings.home / RUNS, "retrieval", eval_set)
    run = run_retrieval(eval_set, settings, rows, rewrite=rewrite, limit=limit, keep=keep, resume=resume)
    typer.echo(retrieval_table(run))
    if details:
        typer.echo("\n" + details_of(run))
    typer.echo(f"run: {keep}", err=True)


@app.command()
def chunking(
    data: DataOption,
    split: SplitOption = "dev",
    budget: Annotated[int, typer.Option(min=1, help="Characters handed on for each question.")] = 3000,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Second merge threshold, beside that of the settings.")
    ] = 0.5,
    limit: LimitOption = None,
    json: JsonOption = None,
    runs: RunsOption = None,
    resume: ResumeOption = None,
) -> None:
    """Compare ways to chunk the same whole documents, at equal characters handed on."""
    from agent.settings import load_settings
    from eval.chunkings import chunkings
    from eval.report import chunking_table
    from eval.run_chunking import run_chunking
    from eval.runs import run_file
    from eval.sets import load_set

    eval_set, settings = load_set(data, split, whole_documents=True), load_settings()
    compared = chunkings(settings.chunking, threshold)
    keep = json or resume or run_file(runs or settings.home / RUNS, "chunking", eval_set)
    run = run_chunking(eval_set, settings, compared, budget=budget, limit=limit, keep=keep, resume=resume)
    typer.echo(chunking_table(run))
    typer.echo(f"run: {keep}", err=True)


@app.command()
def answers(
    data: DataOption,
    split: SplitOption = "dev",
    limit: LimitOption = None,
    json: JsonOption = None,
    runs: RunsOption = None,
    resume: ResumeOption = None,
    judge: Annotated[
        str | None,
        typer.Option(help="Chat model that grades the answers as well; none by default.", show_default=False),
    ] = None,
    judge_base_url: Annotated[
        str | None,
        typer.Option(help="Address of that model where it is not OPENAI_BASE_URL.", show_default=False),
    ] = None,
) -> None:
    """Ask the whole agent, and score its answers, citations and refusals."""
    from agent.chat_model import host_of
    from agent.settings import load_settings
    from eval.answers_report import answers_table
    from eval.judge_answer import open_judge
    from eval.run_answers import run_answers
    from eval.runs import run_file
    from eval.sets import load_set

    eval_set, settings = load_set(data, split, whole_documents=(data / "docs").is_dir()), load_settings()
    if judge_base_url and not judge:
        raise FolioError("--judge-base-url: there is no judge; name its model with --judge MODEL")
    judging = load_settings(chat_model=judge, OPENAI_BASE_URL=judge_base_url) if judge else None
    model = open_judge(judging) if judging else None
    judged_by = f"{judge} at {host_of(judging)}" if judging else None
    keep = json or resume or run_file(runs or settings.home / RUNS, "answers", eval_set)
    run = run_answers(eval_set, settings, limit=limit, keep=keep, resume=resume, judge=model, judged_by=judged_by)
    typer.echo(answers_table(run))
    typer.echo(f"run: {keep}", err=True)


@app.command()
def cost(
    data: DataOption,
    split: SplitOption = "dev",
    limit: Annotated[int, typer.Option(min=1, help="Questions, of those that stand alone.")] = 50,
) -> None:
    """Count calls and prompt tokens per question beside a stock ReAct agent with the same tools."""
    from agent.settings import load_settings
    from eval.agent_cost import cost_table, run_cost
    from eval.progress import progress
    from eval.sets import load_set

    eval_set = load_set(data, split, whole_documents=True)
    with progress() as steps:
        typer.echo(cost_table(run_cost(eval_set, load_settings(), limit=limit, step=steps.bar("asking"))))


@app.command()
def attacks() -> None:
    """Ask on documents that try to steer the model; exit status 1 when one of them changes anything."""
    from agent.settings import load_settings
    from eval.attacks import attacks_table, run_attacks
    from eval.progress import progress

    with progress() as steps:
        results = run_attacks(load_settings(), step=steps.bar("asking"))
    typer.echo(attacks_table(results))
    changed = [one for one in results if not all(one.kept.values())]
    for one in changed:
        names = ", ".join(name for name, is_kept in one.kept.items() if not is_kept)
        typer.echo(f"{one.attack.id} ({one.attack.kind}), {one.model}: {names} changed", err=True)
    raise typer.Exit(1 if changed else 0)


@app.command()
def sweep(
    data: DataOption,
    confirm: Annotated[
        Path, typer.Option(help="Folder of the set that the choice is confirmed on.", show_default=False)
    ],
    split: SplitOption = "dev",
    metric: Annotated[str, typer.Option(help="What to choose by.")] = "MRR@10",
    whole_documents: DocumentsOption = False,
    json: JsonOption = None,
    runs: RunsOption = None,
    resume: ResumeOption = None,
) -> None:
    """Try settings of fusion on one set, and confirm them on another."""
    from agent.settings import load_settings
    from eval.run_sweep import run_sweep
    from eval.runs import run_file
    from eval.sets import load_set

    chosen_on, confirmed_on = (load_set(one, split, whole_documents=whole_documents) for one in (data, confirm))
    settings = load_settings()
    keep = json or resume or run_file(runs or settings.home / RUNS, "sweep", chosen_on)
    typer.echo(run_sweep(chosen_on, confirmed_on, settings, metric, keep=keep, resume=resume))
    typer.echo(f"run: {keep}", err=True)


@app.command()
def mutations(
    data: Annotated[list[Path], typer.Option("--data", help="Folder of a set; may be repeated.", show_default=False)],
    split: SplitOption = "dev",
    limit: Annotated[int, typer.Option(min=1, help="Most right answers of each set.")] = 100,
    details: Annotated[bool, typer.Option("--details", help="Also print every mistake.")] = False,
) -> None:
    """Change one fact in right answers, and count what the checks catch and what they accuse wrongly."""
    from eval.run_mutations import mistakes, mutations_table, run_mutations

    verdicts = run_mutations(data, split, limit)
    typer.echo(mutations_table(verdicts))
    if details:
        typer.echo("\n" + "\n".join(mistakes(verdicts)))


@app.command()
def compare(
    before: Annotated[Path, typer.Argument(help="Run, as a command of `eval` wrote it.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="Run to compare with it.", show_default=False)],
    metric: Annotated[
        str | None, typer.Option(help="What decides; by default MRR@10 or, of a chunking run, hit.", show_default=False)
    ] = None,
    row: Annotated[
        str | None, typer.Option(help="Row of the table; by default the last one of the first run.", show_default=False)
    ] = None,
    other_row: Annotated[
        str | None, typer.Option(help="Row of the second run where it is another one.", show_default=False)
    ] = None,
) -> None:
    """Compare two runs question by question; exit status 1 on a significant loss."""
    from eval.compare_report import comparison_text
    from eval.compare_runs import compare_runs

    comparisons, deciding = compare_runs(before, after, metric=metric, row=row, other_row=other_row)
    typer.echo(comparison_text(comparisons, deciding))
    raise typer.Exit(1 if deciding.verdict == "significant loss" else 0)


@app.command()
def init(
    documents: Annotated[list[Path], typer.Argument(help="Documents, or folders of them.", show_default=False)],
    output: Annotated[Path, typer.Option(help="New folder for the set.", show_default=False)],
    questions: Annotated[int, typer.Option(min=1, help="Most questions to make.")] = 200,
) -> None:
    """Make a question set from your own documents, without labels and without a model."""
    from collections import Counter

    from eval.make_questions import make_set

    made = make_set(documents, output, questions)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(one.kind for one in made).items()))
    typer.echo(f"{output}: {len(made)} questions ({kinds}); score it with: folio eval retrieval --data {output}")


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Runs, as the commands of `eval` wrote them.", show_default=False)],
    output: Annotated[Path, typer.Option(help="File to write.")] = Path("report.html"),
) -> None:
    """Write runs as one HTML page with tables and plots."""
    from eval.html_report import html_report
    from eval.runs import load_run

    page = html_report([load_run(path) for path in runs])
    output.write_text(page, encoding="utf-8")
    typer.echo(f"{output}: {len(runs)} runs")


@app.command()
def bench(
    size: Annotated[
        list[int] | None, typer.Option(min=10, help="Chunks; may be repeated. 1,000, 10,000 and 100,000 by default.")
    ] = None,
    documents: Annotated[
        list[Path] | None, typer.Option(exists=True, help="Measure the ingest of this file or folder instead.")
    ] = None,
) -> None:
    """Measure speed and memory side by side with stock parts."""
    if documents:
        from eval.bench_ingest import bench_ingest, ingest_table

        typer.echo(
            ingest_table(
                bench_ingest(documents, lambda one: typer.echo(f"{one.documents}, {one.side}: done", err=True))
            )
        )
        return
    from eval import bench as story

    def show(one: story.Measured) -> None:
        typer.echo(f"{one.contest}, {one.side}, {one.size:,}: done", err=True)

    typer.echo(story.bench_table(story.bench(size or story.SIZES, show)))


@app.command()
def load(
    users: Annotated[int, typer.Option(min=1, help="Users at once.")] = 32,
    seconds: Annotated[float, typer.Option(min=1, help="How long they go on.")] = 60,
) -> None:
    """Let many users at a server of this machine; exit status 1 when a request fails or an upload is lost."""
    from eval.load import load_table, run_load

    done = run_load(users, seconds)
    typer.echo(load_table(done))
    raise typer.Exit(1 if done.errors or done.lost else 0)


def run() -> None:
    """Run a command; what a person can mend is one line on standard error and exit status 2."""
    try:
        app()
    except FolioError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
