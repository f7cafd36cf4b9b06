"""Every fault of a set is one line that says where it stands."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.sets.files import SetError
from eval.sets.load import load_set

Make = Callable[..., Path]
GOOD = {"query_id": "q1", "query": "住宿？", "answers": ["500 元"], "gold_doc_file": "travel.md"}
QREL = ("q1", "travel", 1)


def test_a_set_of_passages(make_set: Make) -> None:
    eval_set = load_set(make_set())
    assert (eval_set.name, eval_set.split, eval_set.documents) == ("small", "dev", None)
    assert [passage.doc_id for passage in eval_set.passages] == ["travel", "meals", "leave"]
    assert [query.query_id for query in eval_set.queries] == ["q1", "q2", "q3"]
    assert [query.query_id for query in eval_set.scored] == ["q1", "q2"]
    first = eval_set.queries[0]
    assert first.grades == {"travel": 2, "meals": 1}
    assert (first.kind, first.answers, first.gold_files) == ("natural", ("500 元",), ("travel.md",))
    assert first.place == f"{eval_set.files[0]}:1"


def test_history_and_notes_of_a_set_are_read(make_set: Make) -> None:
    query = {
        **GOOD,
        "history": [{"role": "user", "text": "餐补？"}, {"role": "assistant", "text": "100 元"}],
        "gold_rewrite": "住宿标准是多少？",
        "must_also_contain": ["普通员工"],
        "kind": "derived",
        "lang": "zh",
        "anything": {"else": 1},
    }
    read = load_set(make_set(queries=[query], qrels=[QREL])).queries[0]
    assert read.history == (("user", "餐补？"), ("assistant", "100 元"))
    assert (read.gold_rewrite, read.must_contain, read.kind) == ("住宿标准是多少？", ("普通员工",), "derived")


def test_the_passages_of_the_siblings_that_source_names(make_set: Make) -> None:
    make_set("other", passages=[{"doc_id": "other", "text": "其他"}])
    make_set("first")
    follower = make_set("follower", passages=None, source="Uses ../first, and `../other`. Not ../missing.\n")
    assert [passage.doc_id for passage in load_set(follower).passages] == ["travel", "meals", "leave", "other"]


@pytest.mark.parametrize(
    ("parts", "file", "message"),
    [
        ({"queries": [GOOD, GOOD], "qrels": [QREL]}, "dev/queries.jsonl:2", "query_id 'q1' is already at"),
        ({"passages": [{"doc_id": "a", "text": "x"}] * 2}, "corpus.jsonl:2", "doc_id 'a' is already at"),
        ({"qrels": [QREL, QREL]}, "dev/qrels.tsv:3", "pair 'q1 travel' is already at"),
        ({"queries": [GOOD], "qrels": [QREL, ("q7", "travel", 1)]}, "dev/qrels.tsv:3", "query_id 'q7' is not in"),
        ({"queries": [GOOD], "qrels": [("q1", "nowhere", 1)]}, "dev/qrels.tsv:2", "gold passage 'nowhere' of 'q1'"),
        ({"queries": [GOOD, {"query_id": "q2", "query": "?"}], "qrels": [QREL]}, "dev/queries.jsonl:2",
         "question 'q2' has no gold passage"),
        ({"queries": [{"query_id": "q1", "query": " "}]}, "dev/queries.jsonl:1", "query: string should have at least"),
        ({"queries": [{"query": "?"}]}, "dev/queries.jsonl:1", "query_id: field required"),
        ({"queries": [GOOD], "qrels": []}, "dev/queries.jsonl", "no question has a line in qrels.tsv"),
        ({"queries": [{"query_id": "q1", "query": "?"}], "qrels": []}, "dev", "neither qrels.tsv nor `answers`"),
        ({"queries": [GOOD], "passages": None}, "", "neither corpus.jsonl nor docs/"),
        ({"queries": None}, "dev/queries.jsonl", "no such file; the splits of this set are: none"),
        ({"queries": [GOOD], "passages": None, "docs": {"a.md": "x"}}, "dev/queries.jsonl:1",
         "gold_doc_file 'travel.md' of 'q1' is not in docs/"),
        ({"queries": [GOOD, {"query_id": "q2", "query": "?"}], "passages": None, "docs": {"travel.md": "x"}},
         "dev/queries.jsonl:2", "question 'q2' has no `answers`"),
    ],
)  # fmt: skip
def test_faults(make_set: Make, parts: dict[str, Any], file: str, message: str) -> None:
    folder = make_set(**parts)
    with pytest.raises(SetError) as caught:
        load_set(folder)
    text = str(caught.value)
    assert text.startswith(f"{folder / file if file else folder}: {message}")
    assert "\n" not in text


@pytest.mark.parametrize(
    ("folder", "split", "message"), [("nowhere", "dev", "no such folder"), ("small", "test", "dev")]
)
def test_a_folder_or_split_that_is_not_there(make_set: Make, folder: str, split: str, message: str) -> None:
    place = make_set().parent / folder
    with pytest.raises(SetError, match=message):
        load_set(place, split)


def test_a_split_may_ask_the_same_in_another_way(make_set: Make) -> None:
    folder = make_set()
    asked = (folder / "dev" / "queries.jsonl").read_text(encoding="utf-8")
    (folder / "dev" / "queries_simplified.jsonl").write_text(asked.replace("差旅", "出差"), encoding="utf-8")
    eval_set = load_set(folder, questions="queries_simplified.jsonl")
    assert eval_set.name == "small-queries_simplified"
    assert [query.grades for query in eval_set.queries] == [query.grades for query in load_set(folder).queries]
    assert eval_set.files[0].name == "queries_simplified.jsonl"
