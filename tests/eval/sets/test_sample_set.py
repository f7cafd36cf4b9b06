"""The sample set that ships with the project is whole: its questions, its documents and the answers in them agree."""

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from preprocessing.document import Document
from preprocessing.load import load

SAMPLE = Path(__file__).parents[3] / "eval" / "data" / "sample"
DOCS = sorted((SAMPLE / "docs").iterdir())
TYPES = {
    "natural",
    "code",
    "table",
    "article_lookup",
    "version",
    "multi_doc",
    "cross_lingual",
    "follow_up",
    "unanswerable",
}


def _squeeze(text: str) -> str:
    """Return the form in which answers are compared: NFKC, lower case, no white space."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).lower()


def _describe(question: dict[str, Any], string: str) -> str:
    return f"{question['query_id']}: {string!r} not in {question['gold_doc_file']}"


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    lines = (SAMPLE / "dev" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    return {path.name: load(path, source=path.name) for path in DOCS}


@pytest.fixture(scope="module")
def texts(documents: dict[str, Document]) -> dict[str, str]:
    return {name: _squeeze("\n".join(block.text for block in doc.blocks)) for name, doc in documents.items()}


def test_every_question_has_the_fields_of_the_format(questions: list[dict[str, Any]]) -> None:
    required = {"query_id", "query", "lang", "answers", "answerable", "gold_doc_file", "type", "split"}
    optional = {"must_also_contain", "history", "gold_rewrite", "note"}
    for question in questions:
        assert required <= question.keys() <= required | optional, question["query_id"]
        assert question["query"].strip(), question["query_id"]
        assert question["lang"] in {"zh", "en"}, question["query_id"]
        assert question["type"] in TYPES, question["query_id"]
        assert question["split"] == "dev", question["query_id"]


def test_query_ids_and_questions_are_unique(questions: list[dict[str, Any]]) -> None:
    ids = Counter(question["query_id"] for question in questions)
    asked = Counter((question["query"], json.dumps(question.get("history"))) for question in questions)
    assert [name for name, count in (ids | asked).items() if count > 1] == []


def test_the_set_is_large_and_mixed_enough(questions: list[dict[str, Any]]) -> None:
    types = Counter(question["type"] for question in questions)
    languages = Counter(question["lang"] for question in questions)
    assert len(DOCS) >= 10
    assert {path.suffix for path in DOCS} == {".md", ".txt", ".pdf", ".docx"}
    assert len(questions) >= 60
    assert types["unanswerable"] >= 12
    assert types["follow_up"] >= 8
    assert types.keys() == TYPES
    assert min(languages["zh"], languages["en"]) >= 20


def test_documents_are_small() -> None:
    assert [path.name for path in DOCS if path.stat().st_size >= 300_000] == []


def test_gold_files_exist_and_only_unanswerable_questions_have_none(questions: list[dict[str, Any]]) -> None:
    names = {path.name for path in DOCS}
    for question in questions:
        assert set(question["gold_doc_file"]) <= names, question["query_id"]
        answerable = question["type"] != "unanswerable"
        assert question["answerable"] is answerable, question["query_id"]
        assert bool(question["answers"]) is answerable, question["query_id"]
        assert bool(question["gold_doc_file"]) is answerable, question["query_id"]


def test_every_document_is_asked_about(questions: list[dict[str, Any]]) -> None:
    assert {name for question in questions for name in question["gold_doc_file"]} == {path.name for path in DOCS}


def test_every_answer_stands_in_a_gold_file(questions: list[dict[str, Any]], texts: dict[str, str]) -> None:
    missing = [
        _describe(question, string)
        for question in questions
        for string in [*question["answers"], *question.get("must_also_contain", [])]
        if not any(_squeeze(string) in texts[name] for name in question["gold_doc_file"])
    ]
    assert missing == []


def test_every_gold_file_holds_an_answer(questions: list[dict[str, Any]], texts: dict[str, str]) -> None:
    idle = [
        f"{question['query_id']}: {name}"
        for question in questions
        for name in question["gold_doc_file"]
        if not any(_squeeze(answer) in texts[name] for answer in question["answers"])
    ]
    assert idle == []


def test_a_follow_up_has_a_history_and_a_standalone_rewrite(questions: list[dict[str, Any]]) -> None:
    for question in questions:
        history = question.get("history", [])
        assert bool(history) is ("gold_rewrite" in question), question["query_id"]
        if question["type"] == "follow_up":
            assert history, question["query_id"]
        for turn, role in zip(history, ["user", "assistant"] * (len(history) // 2), strict=True):
            assert turn.keys() == {"role", "text"}, question["query_id"]
            assert turn["role"] == role, question["query_id"]
            assert turn["text"].strip(), question["query_id"]


def test_an_unanswerable_question_says_what_is_missing(questions: list[dict[str, Any]]) -> None:
    silent = [q["query_id"] for q in questions if not q["answerable"] and not q.get("note", "").strip()]
    assert silent == []


def test_codes_of_unanswerable_questions_are_nowhere_in_the_documents(
    questions: list[dict[str, Any]], texts: dict[str, str]
) -> None:
    unanswerable = " ".join(_squeeze(q["query"]) for q in questions if not q["answerable"])
    codes = set(re.findall(r"err_\d{4}", unanswerable))
    assert codes == {"err_4999", "err_5033"}
    assert [code for code in codes if any(code in text for text in texts.values())] == []


def test_the_current_travel_policy_names_the_one_it_replaces(documents: dict[str, Document]) -> None:
    current, old = documents["差旅管理制度_V2.md"], documents["差旅管理制度_V1.md"]
    assert (old.version, current.version) == ("V1", "V2")
    assert current.metadata["supersedes"] == "差旅管理制度_V1.md"
    assert str(old.metadata["effective_from"]) < str(current.metadata["effective_from"])
