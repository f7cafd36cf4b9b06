"""Lines of JSON, each with the place it stands at."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from preprocessing.errors import FolioError

Line = TypeVar("Line", bound=BaseModel)


class SetError(FolioError):
    """An evaluation set cannot be used; the message names the file and, where there is one, the line."""


def read_jsonl(path: Path, model: type[Line]) -> Iterator[tuple[str, Line]]:
    """Yield (`file:line`, line read as the model) for every line that is not blank; lines count from 1.

    Raises SetError for a file that cannot be read and for a line that is not such an object.
    """
    for place, text in read_lines(path):
        try:
            yield place, model.model_validate(json.loads(text))
        except json.JSONDecodeError as error:
            raise SetError(
                f"{place}: not JSON ({error.msg} at column {error.colno}); write one object a line"
            ) from None
        except ValidationError as error:
            raise SetError(f"{place}: {_problem(error)}") from None


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (`file:line`, text) for every line that is not blank."""
    try:
        # Not splitlines(): a passage may hold U+2028 or a form feed, which end no line of JSON.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise SetError(f"{path}:{line}: not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise SetError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    for number, text in enumerate(lines, start=1):
        if text.strip():
            yield f"{path}:{number}", text.rstrip("\r")


def _problem(error: ValidationError) -> str:
    first: Any = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}" if where else str(first["msg"])
