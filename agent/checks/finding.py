"""What is wrong with a claim."""

from dataclasses import dataclass
from typing import Literal

Problem = Literal["missing", "value", "reversed", "name", "quotation"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a claim says and its passages do not."""

    problem: Problem
    said: str
    """In normal form, or as it stands in the claim; empty where a word was left out."""
    held: str = ""
    """What the passage has in that place."""

    @property
    def contradicts(self) -> bool:
        """Tell whether the passage was seen to say something else, so that it is the source, ill rendered."""
        return self.problem == "reversed" or bool(self.held)

    def reason(self, cited: str) -> str:
        """Return the finding as part of a sentence; `cited` is the labels."""
        match self.problem:
            case "reversed":
                return f"{cited} says the opposite: it has {_quoted(self.held)}, not {_quoted(self.said)}"
            case "quotation":
                return f"{_quoted(self.said)} does not stand in {cited} word for word"
            case _:
                place = f" in this place, which has {self.held}" if self.held else ""
                return f"{self.said} does not stand in {cited}{place}"


def _quoted(text: str) -> str:
    return f"“{text}”" if text else "nothing"
