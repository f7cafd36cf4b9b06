"""A run: one evaluation with everything needed to read it later, as one JSON file."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from eval.sets.files import SetError
from eval.sets.load import SAMPLE, EvalSet
from retrieval.settings import RetrievalSettings

LEFT_OUT = {"home", "qdrant_api_key", "openai_api_key", "embed_api_key", "rerank_api_key"}
"""Settings that are secret, or say nothing about a result."""


RUNS = Path("eval", "runs")
"""Folder of the runs within FOLIO_HOME."""
Command = Literal["retrieval", "answers", "mutations", "attacks", "bench", "load"]
_PLACES = {"--json", "--runs"}
"""Options that say where a run is kept, not what it is."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class QuestionScore(_Strict):
    """What one question got."""

    query_id: str
    question: str = ""
    """Left out of the runs that lie beside the code: a set may have terms of its own."""
    kind: str = ""
    scores: dict[str, dict[str, float]]
    """Row of the table → metric → score. A metric that does not apply is left out."""
    rankings: dict[str, list[str]] = {}
    """Row of the table → what was returned, best first."""
    milliseconds: dict[str, float] = {}
    """Stage → time."""


class SetIdentity(_Strict):
    """Which task the run was made on."""

    name: str
    split: str
    digest: str
    searched: int
    """Passages, or chunks of whole documents, in the index."""
    unit: Literal["passages", "chunks", "documents"]


class Run(_Strict):
    """One evaluation."""

    command: Command
    arguments: str = ""
    """What stood after the name of the command; folders of sets stand in DATA."""
    commit: str | None
    """Commit of the code, with `+` when it had changes; None where it is not known."""
    created_at: str
    set: SetIdentity | None = None
    """None where no questions are asked."""
    settings: dict[str, Any]
    rows: list[str]
    """Rows of the table in order."""
    questions: list[QuestionScore] = []
    statistics: dict[str, dict[str, float]] = {}
    """Row of the table → figures of the whole, such as the number of chunks."""
    problem: str | None = None
    """Why the run stopped early; None when it is complete."""

    def save(self, path: Path) -> None:
        """Write the run; the file is replaced in one step."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        partial.write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")
        partial.replace(path)

    def bare(self) -> "Run":
        """Return the run as it is kept beside the code: scores and times of each question, nothing of its text."""
        questions = [
            QuestionScore(
                query_id=one.query_id,
                kind=one.kind,
                scores={
                    row: {name: round(score, 4) for name, score in some.items()} for row, some in one.scores.items()
                },
                milliseconds={stage: round(time, 1) for stage, time in one.milliseconds.items()},
            )
            for one in self.questions
        ]
        return self.model_copy(update={"questions": questions})


def new_run(
    command: Command,
    settings: Mapping[str, Any],
    rows: Sequence[str],
    task: SetIdentity | None = None,
    *,
    questions: Sequence[QuestionScore] = (),
    statistics: Mapping[str, Mapping[str, float]] | None = None,
) -> Run:
    """Return a run of the code as it is, begun now."""
    return Run(
        command=command,
        arguments=_arguments(sys.argv[1:]),
        commit=code_commit(),
        created_at=now(),
        set=task,
        settings=dict(settings),
        rows=list(rows),
        questions=list(questions),
        statistics={name: dict(figures) for name, figures in (statistics or {}).items()},
    )


@contextmanager
def recorded(run: Run, keep: Path | None) -> Iterator[list[QuestionScore]]:
    """Give the list that takes the scores, with those of the run in it, and write the run to `keep` at the end.

    When the work stops half way, what was scored is written with the reason, and the error goes on.
    """
    questions = list(run.questions)
    problem: str | None = "interrupted"
    try:
        yield questions
        problem = None
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise
    finally:
        if keep and questions:
            run.model_copy(update={"questions": questions, "problem": problem}).save(keep)


def load_run(path: Path) -> Run:
    """Read a run; raise SetError in one line when the file is not one."""
    try:
        return Run.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SetError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except json.JSONDecodeError as error:
        raise SetError(f"{path}:{error.lineno}: not JSON ({error.msg}); a run is what --json writes") from None
    except (ValidationError, UnicodeDecodeError) as error:
        reason = (
            error.errors(include_url=False)[0]
            if isinstance(error, ValidationError)
            else {"loc": (), "msg": "not UTF-8"}
        )
        where = ".".join(map(str, reason["loc"]))
        raise SetError(f"{path}: not a run ({where}: {reason['msg']}); a run is what --json writes") from None


def run_file(folder: Path, command: str, name: str) -> Path:
    """Return a new file for a run, whose name sorts by time and says what the run is."""
    time = now()[:19].replace(":", "").replace("-", "")
    return folder / f"{time}-{command}-{name}-{code_commit() or 'unknown'}.json"


def identify(eval_set: EvalSet, searched: int) -> SetIdentity:
    """Return which task a run on the set has."""
    return SetIdentity(
        name=eval_set.name,
        split=eval_set.split,
        digest=eval_set.digest(),
        searched=searched,
        unit="passages" if eval_set.documents is None else "chunks",
    )


def describe(settings: RetrievalSettings, model_id: str) -> dict[str, Any]:
    """Return the settings of a run that bear on its result, with the embedding model by the name of its vectors."""
    return {**settings.model_dump(mode="json", exclude=LEFT_OUT), "embed_model": model_id}


def kept_at(
    settings: RetrievalSettings, command: Command, name: str, json: Path | None, runs: Path | None = None
) -> Path:
    """Return where a run is written: the file asked for, else a new one in the folder asked for or of FOLIO_HOME."""
    return json or run_file(runs or settings.home / RUNS, command, name)


def now() -> str:
    """Return the time of the run, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def code_commit() -> str | None:
    """Return the commit of the running code, with `+` when files were changed since; None outside a repository."""
    folder = Path(__file__).parent
    try:
        commit = _git(folder, "rev-parse", "--short=12", "HEAD")
        return commit + "+" if _git(folder, "status", "--porcelain", "--untracked-files=no") else commit
    except (OSError, subprocess.CalledProcessError):
        return None


def _arguments(argv: Sequence[str]) -> str:
    """Return the arguments of a command without its name and without where its run is kept."""
    kept: list[str] = []
    words = iter(argv[1:])
    for word in words:
        if word in _PLACES:
            next(words, None)
        elif word.partition("=")[0] not in _PLACES:
            path = Path(word)
            is_elsewhere = path.is_dir() and SAMPLE.parent not in path.resolve().parents
            kept.append(f"DATA/{path.resolve().name}" if is_elsewhere else word)
    return shlex.join(kept)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()


def check_same_task(before: Run, after: Run) -> None:
    """Raise SetError when two runs cannot be compared question by question."""
    if before.command != after.command:
        raise SetError(
            f"one run is of `eval {before.command}` and the other of `eval {after.command}`; compare like with like"
        )
    one, other = before.set, after.set
    if one is None or other is None:
        raise SetError(f"runs of `eval {before.command}` have no questions to compare")
    if (one.name, one.split, one.unit) != (other.name, other.split, other.unit):
        raise SetError(
            f"one run is on the {one.unit} of {one.name}/{one.split} and the other on the {other.unit} of "
            f"{other.name}/{other.split}; compare runs on one set"
        )
    if one.digest != other.digest:
        raise SetError(f"the files of {one.name}/{one.split} changed between the runs; run the first one again")


Step = Callable[[int, int], None]
"""Takes (steps done, steps in all)."""


class Steps:
    """One bar per kind of work."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars

    def bar(self, work: str) -> Step:
        """Return what moves the bar of the work; it appears at the first step."""
        task = self._bars.add_task(work, total=None, visible=False)

        def step(done: int, total: int) -> None:
            self._bars.update(task, completed=done, total=total, visible=True)

        return step


@contextmanager
def progress() -> Iterator[Steps]:
    """Show bars while the work goes on, and nothing where standard error is no terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        yield Steps(bars)
