"""A run: one evaluation with everything needed to read it later, as one JSON file."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from eval.jsonl import SetError
from eval.sets import EvalSet
from retrieval.settings import RetrievalSettings

LEFT_OUT = {"home", "qdrant_api_key", "openai_api_key", "embed_api_key", "rerank_api_key"}
"""Settings that are secret, or say nothing about a result."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class QuestionScore(_Strict):
    """What one question got."""

    query_id: str
    question: str
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
    unit: Literal["passages", "chunks"]


class Run(_Strict):
    """One evaluation."""

    command: Literal["retrieval", "chunking", "answers", "sweep"]
    commit: str | None
    """Commit of the code, with `+` when it had changes; None where it is not known."""
    created_at: str
    set: SetIdentity
    settings: dict[str, Any]
    rows: list[str]
    """Rows of the table in order."""
    questions: list[QuestionScore]
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


def run_file(folder: Path, command: str, eval_set: EvalSet) -> Path:
    """Return a new file for a run, whose name sorts by time and says what the run is."""
    time = now()[:19].replace(":", "").replace("-", "")
    return folder / f"{time}-{command}-{eval_set.name}-{eval_set.split}-{code_commit() or 'unknown'}.json"


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


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()
