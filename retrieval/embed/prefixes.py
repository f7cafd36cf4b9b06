"""What some models want to read before a text, to tell questions from passages."""

import re
from dataclasses import dataclass

_SEARCH = "Given a web search query, retrieve relevant passages that answer the query"


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Text put before every question and before every passage; the models that need none take the empty ones."""

    query: str = ""
    passage: str = ""


_USUAL = (
    # https://huggingface.co/intfloat/multilingual-e5-large-instruct
    (re.compile(r"(^|[-_])e5[-_].*(instruct|mistral)"), Prefixes(f"Instruct: {_SEARCH}\nQuery: ")),
    # https://huggingface.co/intfloat/multilingual-e5-large
    (re.compile(r"(^|[-_])e5([-_:]|$)"), Prefixes("query: ", "passage: ")),
    # https://huggingface.co/Qwen/Qwen3-Embedding-0.6B
    (re.compile(r"(^|[-_])qwen3-embedding"), Prefixes(f"Instruct: {_SEARCH}\nQuery:")),
)


def usual_prefixes(model: str) -> Prefixes:
    """Return the prefixes of the family that a name or path says the model is of; empty for every other."""
    name = re.split(r"[/\\]", model.rstrip("/\\"))[-1].lower()
    return next((prefixes for family, prefixes in _USUAL if family.search(name)), Prefixes())


def chosen_prefixes(model: str, query: str | None, passage: str | None) -> Prefixes:
    """Return the usual prefixes with those put in their place that are set; a blank one means none."""
    usual = usual_prefixes(model)
    return Prefixes(
        usual.query if query is None else query if query.strip() else "",
        usual.passage if passage is None else passage if passage.strip() else "",
    )


def identity(model: str, query: str | None, passage: str | None, dimensions: int | None = None) -> str:
    """Return the name under which the manifest records a model that is asked with these prefixes.

    None leaves a prefix to the model. The name holds everything that makes other vectors of the same text, but not
    where the model runs; vectors have length one in every case.
    """
    marks = [f"{dimensions} dimensions"] if dimensions else []
    marks += [f"query prefix {query!r}"] if query is not None else []
    marks += [f"passage prefix {passage!r}"] if passage is not None else []
    return f"{model} ({', '.join(marks)})" if marks else model
