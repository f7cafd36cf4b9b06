"""What to say when the documents do not hold the answer: what was searched, and what came nearest."""

from agent.evidence import EvidenceLedger
from retrieval.text.language import language_of

NOT_FOUND = "NOT_FOUND"
NEAREST = 2


def refusal_text(question: str, ledger: EvidenceLedger, missing: str = "") -> str:
    """Return the refusal in the language of the question.

    `missing` is what the model says is not there; empty when it did not say.
    """
    nearest = list(dict.fromkeys(_place(question, evidence) for evidence in _best(ledger)))
    searched = list(dict.fromkeys(search.query for search in ledger.searches))
    if language_of(question) == "zh":
        parts = ["知识库的文档里没有找到这个问题的答案。"]
        parts += [f"缺少：{missing}"] if missing else []
        parts += ["搜索过：" + "；".join(f"“{query}”" for query in searched)] if searched else []
        parts += ["最接近的内容：" + "；".join(nearest)] if nearest else []
        return "\n".join(parts)
    parts = ["The documents do not hold the answer to this question."]
    parts += [f"Missing: {missing}"] if missing else []
    parts += ["Searched for: " + "; ".join(f"“{query}”" for query in searched)] if searched else []
    parts += ["Nearest: " + "; ".join(nearest)] if nearest else []
    return "\n".join(parts)


def no_documents_text(question: str) -> str:
    """Return what to say before anything was ingested."""
    if language_of(question) == "zh":
        return "知识库里还没有文档。先运行：folio ingest 路径"
    return "There are no documents yet. First run: folio ingest PATH"


def _best(ledger: EvidenceLedger) -> list[tuple[str, str, int | None]]:
    chunks = [evidence.hit.chunk for evidence in ledger.all()[:NEAREST]]
    return [(chunk.source, " › ".join(chunk.section), chunk.page) for chunk in chunks]


def _place(question: str, place: tuple[str, str, int | None]) -> str:
    return format_place(*place, chinese=language_of(question) == "zh")


def format_place(source: str, section: str, page: int | None, *, chinese: bool) -> str:
    """Return `source › section › page`, leaving out what the document does not have."""
    page_text = (f"第 {page} 页" if chinese else f"p. {page}") if page else ""
    return " › ".join(part for part in (source, section, page_text) if part)
