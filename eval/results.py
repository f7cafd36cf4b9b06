"""`eval results`: RESULTS.md from the runs that lie beside the code, so that no figure on it is written by hand.

A run lies there without the texts of its set. What is no run, such as an ablation over many runs, lies there as
`NAME.md`: its first line is `# Title`, and one of its lines is `Commit: …`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel

from agent.settings import Settings
from eval.bench.load import load_table
from eval.bench.story import bench_table
from eval.runs.run import Command, Run, load_run
from eval.sets.files import SetError
from eval.tasks.answers import answers_table
from eval.tasks.attacks import attacks_table
from eval.tasks.mutations import mutations_table
from eval.tasks.retrieval import interval_table, retrieval_table

HOUSE = Path(__file__).parent
TITLES: Mapping[Command, str] = {
    "retrieval": "Retrieval",
    "answers": "Answers",
    "mutations": "Checks of an answer",
    "attacks": "Documents that try to steer the model",
    "bench": "Speed and memory",
    "load": "Many users at once",
}
"""Chapters in the order of the page."""
TABLES: Mapping[Command, Callable[[Run], str]] = {
    "retrieval": lambda run: f"{retrieval_table(run)}\n\n{interval_table(run)}",
    "answers": answers_table,
    "mutations": mutations_table,
    "attacks": attacks_table,
    "bench": bench_table,
    "load": load_table,
}
_ABOUT = """\
Written by `python -m eval results` from `eval/runs`; `make results DATA=FOLDER` makes the runs anew. `DATA` is the
folder of the sets; `eval/data/sample` comes with Folio. An interval is the 95 % interval of the mean over the
questions (bootstrap, 10,000 resamples). Times hold for the machine that the runs were made on; every other figure
repeats, but for ties.

R@k: share of the wanted passages among the first k, where an acceptable alternative counts in full. Over whole
documents: 1 when one of the k chunks, from the right file, holds an answer. nDCG has equal gains. `folio eval compare`
says of two runs of one set whether they differ by more than chance."""


def results(
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Runs to keep beside the code, without the texts of their sets.")
    ] = None,
    folder: Annotated[Path, typer.Option(help="Folder of the runs.")] = HOUSE / "runs",
    output: Annotated[Path, typer.Option(help="Page to write.")] = HOUSE / "RESULTS.md",
) -> None:
    """Write RESULTS.md from the runs that lie beside the code."""
    for path in runs or ():
        keep(load_run(path), folder / path.name)
    kept = {path.stem: load_run(path) for path in sorted(folder.glob("*.json"))}
    tables = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    output.write_text(page(kept, tables), encoding="utf-8")
    typer.echo(f"{output}: {len(kept)} runs, {len(tables)} tables")


def keep(run: Run, path: Path) -> None:
    """Write a run without the texts of its set, a line a question; raise SetError when it stopped half way."""
    if run.problem:
        raise SetError(f"{path.name}: the run stopped half way ({run.problem}); make it again")
    whole = run.bare().model_dump(mode="json", exclude_defaults=True)
    questions = ",\n".join(json.dumps(one, ensure_ascii=False) for one in whole.pop("questions", []))
    head = json.dumps(whole, ensure_ascii=False, indent=1).removesuffix("\n}")
    path.write_text(f'{head},\n "questions": [\n{questions}\n ]\n}}\n', encoding="utf-8")


def page(runs: Mapping[str, Run], tables: Mapping[str, str]) -> str:
    """Return the page: a chapter a command, a section a run, then the tables that are no runs."""
    commits = sorted({run.commit or "unknown" for run in runs.values()})
    made = f"Made at `{commits[0]}`." if len(commits) == 1 else "Made at several commits; each table names its own."
    parts = ["# Results", _ABOUT, made]
    for command, title in TITLES.items():
        own = {name: run for name, run in runs.items() if run.command == command}
        if own:
            parts += [f"## {title}", *(section(name, run) for name, run in own.items())]
    parts += [_handed_in(name, text) for name, text in tables.items()]
    return "\n\n".join(parts) + "\n"


def section(name: str, run: Run) -> str:
    """Return one run: its command, how it was made, its table."""
    made = [f"Commit `{run.commit}`", run.created_at[:10], *_settings(run)]
    command = f"    folio eval {run.command} {run.arguments}".rstrip()
    return "\n\n".join([f"### {name}", command, "; ".join(made) + ".", TABLES[run.command](run)])


def _settings(run: Run) -> Iterator[str]:
    """Yield the settings that are not as they come, and the models."""
    for name, value in run.settings.items():
        field = Settings.model_fields.get(name)
        default: object = field.get_default(call_default_factory=True) if field else None
        plain = default.model_dump(mode="json") if isinstance(default, BaseModel) else default
        if value not in (None, "none", plain):
            yield f"{name} `{value}`"


def _handed_in(name: str, text: str) -> str:
    lines = text.strip().splitlines()
    if not lines or not lines[0].startswith("# ") or not any(line.startswith("Commit: ") for line in lines):
        raise SetError(f"{name}: not a table for RESULTS.md; it begins with `# Title` and has a line `Commit: …`")
    return "\n".join(_one_deeper(lines))


def _one_deeper(lines: Iterable[str]) -> Sequence[str]:
    return [f"#{line}" if line.startswith("#") else line for line in lines]
