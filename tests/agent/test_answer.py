import pytest

from agent.answer import check_answer, cite
from agent.evidence import EvidenceLedger
from tests.fakes import make_hit

S1 = "试用期员工年假 5 天。申请须提前三个工作日提交。"
S2 = "病假工资按 80% 计发。"


@pytest.fixture
def ledger() -> EvidenceLedger:
    ledger = EvidenceLedger()
    ledger.record("q", [make_hit(S1, "c1", source="leave.md", section=("年假",), page=2), make_hit(S2, "c2")])
    return ledger


def test_supported_sentences_stay_as_they_are(ledger: EvidenceLedger) -> None:
    checked = check_answer("试用期员工年假 5 天。[S1] 病假工资按百分之八十计发。[S2]", ledger)
    assert checked.text == "试用期员工年假 5 天。[S1] 病假工资按百分之八十计发。[S2]"
    assert (checked.labels, checked.problems) == (("S1", "S2"), ())


def test_a_changed_number_is_removed_and_named(ledger: EvidenceLedger) -> None:
    checked = check_answer("试用期员工年假 6 天。[S1] 病假工资按 80% 计发。[S2]", ledger)
    assert checked.text == "病假工资按 80% 计发。[S2]"
    assert checked.labels == ("S2",)
    (problem,) = checked.problems
    assert problem == "6 days does not stand in [S1] in this place, which has 5 days: 试用期员工年假 6 天。[S1]"


def test_a_label_on_the_wrong_passage_is_put_right(ledger: EvidenceLedger) -> None:
    checked = check_answer("病假工资按 80% 计发。[S1]", ledger)
    assert checked.text == "病假工资按 80% 计发。 [S2]"
    assert checked.problems == ()
    assert [check.status for check in checked.checks] == ["repaired"]


def test_an_unknown_label_goes_and_its_claim_with_it(ledger: EvidenceLedger) -> None:
    checked = check_answer("试用期员工年假 5 天。[S1] 另有奖金 900 元。[S9]", ledger)
    assert checked.text == "试用期员工年假 5 天。[S1]"
    assert "no label, and no passage says it: 另有奖金 900 元。" in checked.problems


def test_a_sentence_without_a_label_gets_that_of_the_passage_it_repeats(ledger: EvidenceLedger) -> None:
    checked = check_answer("病假工资按 80% 计发。", ledger)
    assert checked.text == "病假工资按 80% 计发。 [S2]"
    assert [check.status for check in checked.checks] == ["repaired"]


def test_a_label_at_the_end_of_a_paragraph_counts_for_the_sentences_before_it(ledger: EvidenceLedger) -> None:
    text = "试用期员工年假 5 天。申请须提前 3 个工作日。[S1]"
    assert check_answer(text, ledger).text == text


def test_it_does_not_count_for_another_paragraph(ledger: EvidenceLedger) -> None:
    checked = check_answer("公司位于火星基地。\n\n试用期员工年假 5 天。[S1]", ledger)
    assert checked.text == "试用期员工年假 5 天。[S1]"


def test_what_only_leads_in_may_stay(ledger: EvidenceLedger) -> None:
    text = "以下是文档原文：\n试用期员工年假 5 天。 [S1]"
    assert check_answer(text, ledger).text == text


def test_a_quoted_table_row_stays_with_its_header() -> None:
    ledger = EvidenceLedger()
    ledger.record("q", [make_hit("| 级别 | 限额 |\n| --- | --- |\n| 经理 | 650 元 |\n| 总监 | 900 元 |")])
    text = "| 级别 | 限额 |\n| --- | --- |\n| 经理 | 650 元 |\n[S1]"
    assert check_answer(text, ledger).text == text
    assert check_answer(text.replace("650", "900"), ledger).labels == ("S1",)
    assert check_answer(text.replace("650", "999"), ledger).text.count("999") == 0


def test_without_any_evidence_nothing_is_left(ledger: EvidenceLedger) -> None:
    checked = check_answer("年假 5 天。[S1]", EvidenceLedger())
    assert (checked.text, checked.labels) == ("", ())
    assert checked.problems


def test_a_sentence_goes_without_touching_the_same_words_elsewhere(ledger: EvidenceLedger) -> None:
    checked = check_answer("试用期员工年假 5 天。[S1] 年假 5 天。[S7]\n\n病假工资按 90% 计发。[S2]", ledger)
    assert checked.text == "试用期员工年假 5 天。[S1] 年假 5 天。 [S1]"
    assert [check.status for check in checked.checks] == ["supported", "repaired", "removed"]


def test_what_the_passage_does_not_say_is_marked_without_its_label(ledger: EvidenceLedger) -> None:
    checked = check_answer("试用期员工年假 5 天。[S1] 公司鼓励大家多多锻炼身体。[S2]", ledger)
    assert checked.text == "试用期员工年假 5 天。[S1] 公司鼓励大家多多锻炼身体。 （文档未证实）"
    assert [check.status for check in checked.checks] == ["supported", "unsupported"]
    assert checked.labels == ("S1",)
    assert len(checked.problems) == 1


def test_what_a_second_reply_mends_is_repaired_and_what_it_leaves_out_is_removed(ledger: EvidenceLedger) -> None:
    first = check_answer("试用期员工年假 6 天。[S1] 另有交通补贴 900 元。[S1] 病假工资按 80% 计发。[S2]", ledger)
    second = check_answer("试用期员工年假 5 天。[S1] 病假工资按 80% 计发。[S2]", ledger, first.checks[:2])
    assert [(check.claim, check.status) for check in second.checks] == [
        ("试用期员工年假 5 天。[S1]", "repaired"),
        ("病假工资按 80% 计发。[S2]", "supported"),
        ("另有交通补贴 900 元。[S1]", "removed"),
    ]
    assert second.checks[0].reason == first.checks[0].reason


def test_cite_quotes_the_sentence_that_bears_the_claim(ledger: EvidenceLedger) -> None:
    citation = cite("S1", "年假要提前三个工作日申请。[S1]", ledger)
    assert citation.quote == "申请须提前三个工作日提交。"
    assert (citation.chunk_id, citation.source, citation.section, citation.page) == ("c1", "leave.md", "年假", 2)


def test_a_quotation_stands_in_its_passage(ledger: EvidenceLedger) -> None:
    for label, passage in (("S1", S1), ("S2", S2)):
        assert cite(label, f"无关的话 [{label}]", ledger).quote in passage
