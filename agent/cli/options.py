"""What several commands take and print: filters, days, questions from a file, and JSON."""

import json
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import BaseModel, ValidationError, field_validator

from agent.view.text import printable
from preprocessing.errors import FolioError
from retrieval.text.dates import read_day

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="KEY=VALUE",
        help="Only this metadata; also KEY>=VALUE, >, <= and < for numbers and dates, and source=hr/*.",
    ),
]
Viewer = Annotated[list[str] | None, typer.Option("--viewer", metavar="GROUP", help="Group of the person who asks.")]
AsOf = Annotated[
    date | None,
    typer.Option(
        "--as-of",
        parser=lambda written: read_day(written, "--as-of"),
        metavar="DATE",
        help="What was in force on that day, such as 2024-01-31.",
    ),
]


def show(value: Any, lines: Sequence[str], *, as_json: bool) -> None:
    """Print the value as JSON, or the lines for a person; nothing in them can steer the terminal."""
    if as_json:
        print_json(value)
    elif lines:
        typer.echo(printable("\n".join(lines)))


def print_json(value: Any) -> None:
    """Print one JSON value on one line, with `\\u` escapes only where the output cannot hold the characters."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(value)
    typer.echo(text)


class Message(BaseModel):
    """One message of the conversation before a question."""

    role: Literal["user", "assistant"]
    text: str


class Question(BaseModel):
    """One line; keys that are not read here are left alone, so that a test set can be asked as it is."""

    query: str
    history: list[Message] | None = None

    @field_validator("query")
    @classmethod
    def _says_something(cls, query: str) -> str:
        if not query.strip():
            raise ValueError("is blank")
        return query


def one_or_many(one: str | None, many: Path | None, option: str) -> list[Question]:
    """Return the argument, or the questions of the file; raise FolioError for neither or both."""
    if one is not None and many is None:
        # A blank argument is for the search to refuse, as it does at every door.
        return [Question.model_construct(query=one)]
    if many is not None and one is None:
        return read_questions(many)
    raise FolioError(f"give either a question or {option} FILE.jsonl")


def read_questions(path: Path) -> list[Question]:
    """Read a file of JSON lines with a "query" each; raise FolioError naming the line that has none."""
    try:
        # Not splitlines(): a question may hold U+2028 or a form feed, which end no line of JSON.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise FolioError(f"{path}: not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise FolioError(f"{path}: cannot be read ({error.strerror})") from None
    return [_read(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]


def _read(line: str, place: str) -> Question:
    try:
        return Question.model_validate_json(line)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = ".".join(map(str, problem["loc"])) or "the line"
        message = problem["msg"].removeprefix("Value error, ")
        raise FolioError(
            f"{place}: {name}: {message[:1].lower()}{message[1:]}; "
            'a right line is {"query": "那餐补呢？", "history": [{"role": "user", "text": "…"}]}'
        ) from None
