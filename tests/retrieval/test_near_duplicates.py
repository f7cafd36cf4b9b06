import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.hit import Hit
from retrieval.near_duplicates import once_each
from tests.fakes import make_hit


def hits(*texts: str, sections: tuple[str, ...] = ()) -> list[Hit]:
    """Return a hit of each text, from sources 0.md, 1.md, …"""
    return [
        make_hit(
            text, f"c{place}", 1 / (place + 1), source=f"{place}.md", section=(sections[place],) if sections else ()
        )
        for place, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("年假 12 天。", "年假 12 天。"),
        ("员工年假为 12 天，须提前申请。", "员工年假为１２天,须提前申请"),
        ("Annual leave is 12 days.", "ANNUAL   LEAVE is 12 days"),
        ("Submit the form in time.", "Submit form in time."),
        ("请在五日内提交报销单。", "请于五日内提交报销单"),
        ("第一句。第二句。", "第二句。第一句。"),
        ("第一句。第二句。", "第一句。"),
        ("A first line\nA second line", "A second line\n\nA first line"),
        ("| 级别 | 限额 |\n| --- | --- |\n| 经理 | 500 |", "|级别|限额|\n|:-|-:|\n|经理|500|"),
        ("住宿 **500** 元", "住宿 500 元"),
        ("5–10 天", "5-10 天"),
    ],
)
def test_what_says_the_same_is_shown_once(better: str, worse: str) -> None:
    (kept,) = once_each(hits(better, worse))
    assert (kept.chunk.text, kept.also_in) == (better, ("1.md",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("住宿每晚 400 元。", "住宿每晚 500 元。"),
        ("年假五天。", "年假十天。"),
        ("利率为 1.5%。", "利率为 15%。"),
        ("利率为 5%。", "利率为 5‰。"),
        ("温度 -5 度。", "温度 5 度。"),
        ("| 1 | 23 |", "| 12 | 3 |"),
        ("| 经理 | ✓ |", "| 经理 | ✗ |"),
        ("金额>500 元时上报。", "金额<500 元时上报。"),
        ("试用期可以报销。", "试用期不可以报销。"),
        ("Gifts may be accepted.", "Gifts may not be accepted."),
        ("由研发总监审批。", "由销售总监审批。"),
        ("Written in C.", "Written in C++."),
        ("Error ERR_4031", "Error ERR_4032"),
        ("2024-03-01 起施行。", "2024-03-11 起施行。"),
        ("产量 10⁶ 件。", "产量 106 件。"),
        ("温度 –5 度。", "温度 5 度。"),
        ("状态 🟢", "状态 🔴"),
    ],
)
def test_what_differs_in_one_point_is_shown_twice(one: str, other: str) -> None:
    # The rest is long and equal, so that nearly every letter is.
    rest = "本办法适用于公司全体正式员工，由人力资源部负责解释，未尽事宜按照国家有关规定执行。" * 8
    for first, second in ((one, other), (other, one)):
        assert len(once_each(hits(first, second))) == 2
        assert len(once_each(hits(rest + first, rest + second))) == 2


@pytest.mark.parametrize(
    ("sections", "shown"),
    [
        (("年假", "病假"), 2),
        (("年假", "年假"), 1),
        (("第三章 年假", "3.2 年假"), 1),
        (("（一）年假", "二、年假"), 1),
        (("2013年假期", "2024年假期"), 2),
        (("第二条", "第三条"), 2),
        (("2023 年假", "2024 年假"), 2),
        (("12 个月以上", "24 个月以上"), 2),
        (("1.5 倍工资", "2.5 倍工资"), 2),
        (("1.5 年以上", "2.5 年以上"), 2),
    ],
)
def test_the_heading_is_part_of_what_is_said(sections: tuple[str, str], shown: int) -> None:
    assert len(once_each(hits("5 天。", "5 天。", sections=sections))) == shown


@given(st.lists(st.lists(st.sampled_from(["甲。", "乙。", "丙 1。", "丙 2。"]), min_size=1, max_size=3), max_size=6))
def test_nothing_that_is_said_is_lost(passages: list[list[str]]) -> None:
    found = hits(*map("".join, passages))
    kept = once_each(found)
    assert {part for hit in kept for part in hit.chunk.text.split("。")} == {
        part for hit in found for part in hit.chunk.text.split("。")
    }
    assert {hit.chunk.source for hit in found} == {
        source for hit in kept for source in (hit.chunk.source, *hit.also_in)
    }
    assert once_each(kept) == kept
