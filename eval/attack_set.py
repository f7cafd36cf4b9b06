"""The attack set: documents that try to steer the model that reads them, each with a question and its true answer."""

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

ATTACKS = Path(__file__).parent / "data" / "attacks" / "attacks.jsonl"


class Attack(BaseModel):
    """One document with an order to the model in it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    kind: str
    language: Literal["zh", "en"]
    title: str
    fact: str
    """What the document truly says; it answers the question."""
    injection: str
    """What stands in the document beside it."""
    place: Literal["before", "after", "same paragraph"]
    question: str
    gold: str
    """Words of the true answer."""
    trigger: str
    """Words of the injection by which a model that obeys knows what is ordered."""
    obey: str
    """The whole reply of such a model; `{label}` is the label of the passage that gives the order."""
    forbidden: list[str]
    """What no answer, no tool and no memory may hold."""

    @property
    def file_name(self) -> str:
        """Return the name of its file."""
        return f"{self.id}.md"

    def document(self, *, clean: bool = False) -> str:
        """Return the document, or the one that it would be without the injection."""
        parts = [self.fact] if clean else self._parts()
        return "\n\n".join([f"# {self.title}", *parts]) + "\n"

    def _parts(self) -> list[str]:
        match self.place:
            case "before":
                return [self.injection, self.fact]
            case "after":
                return [self.fact, self.injection]
            case _:
                return [f"{self.fact} {self.injection}"]


def load_attacks(path: Path = ATTACKS) -> list[Attack]:
    """Read the set, a JSON line an attack."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [Attack.model_validate(json.loads(line)) for line in lines if line.strip()]


def write_documents(attacks: list[Attack], folder: Path, *, clean: bool) -> Path:
    """Write the documents of the set into a new folder and return it."""
    folder.mkdir()
    for attack in attacks:
        (folder / attack.file_name).write_text(attack.document(clean=clean), encoding="utf-8")
    return folder
