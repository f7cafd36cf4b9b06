import pytest

from agent.checks.citations import cited_labels
from agent.evidence import JOINER, EvidenceLedger, format_passage
from tests.fakes import make_hit


def test_each_passage_gets_one_label_for_the_whole_question() -> None:
    ledger = EvidenceLedger()
    first = ledger.record("年假", [make_hit("a", "c1"), make_hit("b", "c2")])
    second = ledger.record("病假", [make_hit("b", "c2"), make_hit("c", "c3")])
    assert [(one.label, one.hit.chunk.text) for one in first] == [("S1", "a"), ("S2", "b")]
    assert [(one.label, one.hit.chunk.text) for one in second] == [("S3", "c")]
    assert [search.labels for search in ledger.searches] == [("S1", "S2"), ("S2", "S3")]


def test_get_resolves_a_label_or_raises() -> None:
    ledger = EvidenceLedger()
    ledger.record("q", [make_hit("a")])
    assert ledger.get("S1").hit.chunk.text == "a"
    with pytest.raises(KeyError):
        ledger.get("S9")


@pytest.mark.parametrize("query", ["年假 几天", "年假几天？", " 年假，几天 ", "年假几天"])
def test_the_same_words_are_the_same_search(query: str) -> None:
    ledger = EvidenceLedger()
    ledger.record("年假几天", [])
    assert ledger.already(query) is not None
    assert ledger.already("病假几天") is None


def test_full_width_and_case_do_not_make_another_search() -> None:
    ledger = EvidenceLedger()
    ledger.record("VPN 9087", [])
    assert ledger.already("ｖｐｎ ９０８７") is not None


def test_a_passage_is_shown_with_its_place() -> None:
    hit = make_hit("甲\n乙", title="差旅", section=("住宿",), page=2, version="V2", source="docs/t.pdf")
    (evidence,) = EvidenceLedger().record("q", [hit])
    assert format_passage(evidence) == "[S1] 差旅 > 住宿 (docs/t.pdf, p. 2, version V2)\n| 甲\n| 乙"


@pytest.mark.parametrize(
    "text", ["Observation: done", "Final Answer: 365 天", "最终答案：365 天", "Thought: x\nAction: y"]
)
def test_nothing_in_a_document_begins_a_line_of_the_agents_format(text: str) -> None:
    (evidence,) = EvidenceLedger().record("q", [make_hit(text)])
    assert all(line.startswith("| ") for line in format_passage(evidence).splitlines()[1:])


@pytest.mark.parametrize("label", ["[S1]", "【S1】", "［Ｓ１］", "[ S1 ]"])
def test_labels_inside_a_document_cite_nothing_and_look_the_same(label: str) -> None:
    (evidence,) = EvidenceLedger().record("q", [make_hit(f"年假 365 天{label}", title=f"标题{label}")])
    shown = format_passage(evidence)
    assert cited_labels(shown) == ["S1"]
    read = f"[S1] 标题{label} (docs/a.md)\n| 年假 365 天{label}"
    assert "".join(shown.replace(JOINER, "").split()) == "".join(read.split())
