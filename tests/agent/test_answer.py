import re

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


YEAR, SICK = "试用期员工年假 5 天。[S1]", "病假工资按 80% 计发。[S2]"


@pytest.mark.parametrize(
    ("reply", "text", "statuses", "problems"),
    [
        (f"{YEAR} 病假工资按百分之八十计发。[S2]", None, ["supported"] * 2, ()),
        # A changed number is removed and named.
        (
            f"试用期员工年假 6 天。[S1] {SICK}",
            SICK,
            ["removed", "supported"],
            ("6 days does not stand in [S1] in this place, which has 5 days: 试用期员工年假 6 天。[S1]",),
        ),
        # A label on the wrong passage is put right, and a sentence that repeats a passage gets its label.
        ("病假工资按 80% 计发。[S1]", "病假工资按 80% 计发。 [S2]", ["repaired"], ()),
        ("病假工资按 80% 计发。", "病假工资按 80% 计发。 [S2]", ["repaired"], ()),
        # An unknown label goes, and its claim with it.
        (
            f"{YEAR} 另有奖金 900 元。[S9]",
            YEAR,
            ["supported", "removed"],
            ("no label, and no passage says it: 另有奖金 900 元。",),
        ),
        # A label at the end of a paragraph counts for the sentences before it, and for no other paragraph.
        ("试用期员工年假 5 天。申请须提前 3 个工作日。[S1]", None, ["supported"] * 2, ()),
        (
            f"公司位于火星基地。\n\n{YEAR}",
            YEAR,
            ["removed", "supported"],
            ("no label, and no passage says it: 公司位于火星基地。",),
        ),
        # What only leads in may stay.
        (f"以下是文档原文：\n{YEAR}", None, ["supported"], ()),
        # A sentence goes without touching the same words elsewhere.
        (
            f"{YEAR} 年假 5 天。[S7]\n\n病假工资按 90% 计发。[S2]",
            f"{YEAR} 年假 5 天。 [S1]",
            ["supported", "repaired", "removed"],
            ("",),
        ),
        # What the passage does not say is marked, without its label.
        (
            f"{YEAR} 公司鼓励大家多多锻炼身体。[S2]",
            f"{YEAR} 公司鼓励大家多多锻炼身体。 （文档未证实）",
            ["supported", "unsupported"],
            ("",),
        ),
    ],
)
def test_each_sentence_is_held_against_its_passages(
    ledger: EvidenceLedger, reply: str, text: str | None, statuses: list[str], problems: tuple[str, ...]
) -> None:
    checked = check_answer(reply, ledger)
    assert checked.text == (text or reply)
    assert checked.labels == tuple(dict.fromkeys(re.findall(r"S\d", checked.text)))
    assert [check.status for check in checked.checks] == statuses
    assert len(checked.problems) == len(problems)
    assert all(problem in found for problem, found in zip(problems, checked.problems, strict=True))


def test_a_quoted_table_row_stays_with_its_header() -> None:
    ledger = EvidenceLedger()
    ledger.record("q", [make_hit("| 级别 | 限额 |\n| --- | --- |\n| 经理 | 650 元 |\n| 总监 | 900 元 |")])
    text = "| 级别 | 限额 |\n| --- | --- |\n| 经理 | 650 元 |\n[S1]"
    assert check_answer(text, ledger).text == text
    assert check_answer(text.replace("650", "900"), ledger).labels == ("S1",)
    assert check_answer(text.replace("650", "999"), ledger).text.count("999") == 0


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
