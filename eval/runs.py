"""A run: one evaluation with everything needed to read it later, as one JSON file."""

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from eval.jsonl import SetError


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

    command: str
    commit: str | None
    """Commit of the code, with `+` when it had changes; None where it is not known."""
    created_at: str
    set: SetIdentity
    settings: dict[str, Any]
    rows: list[str]
    """Rows of the table in order."""
    questions: list[QuestionScore]
    problem: str | None = None
    """Why the run stopped early; None when it is complete."""

    def save(self, path: Path) -> None:
        """Write the run; the file is replaced in one step."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        partial.write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")
        partial.replace(path)


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
