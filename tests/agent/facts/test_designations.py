import pytest

from agent.facts import facts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("甲方应在 30 日内付款给乙方", {"party A", "party B", "30 days"}),
        ("Party A pays Party B", {"party A", "party B"}),
        ("员工丁在上海", {"employee D"}),
        ("员工 Ｄ 在上海", {"employee D"}),
        ("方案B更好；方案 甲 次之", {"option B", "option A"}),
        ("See Appendix C, Annex C and 附录C.", {"annex C"}),
        ("乙类车，A级", {"class B", "grade A"}),
        ("plan B", {"option B"}),
    ],
)
def test_it_is_one_in_both_languages(text: str, expected: set[str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the team I lead",
        "己方的责任",
        "甲方案",
        "员工乙肝检测",
        "the employee A. Smith",
        "Option A's",
        "User Alice",
        "方案Beta",
        "a group a day",
        "甲醛超标",
    ],
)
def test_other_letters_tell_nothing_apart(text: str) -> None:
    assert facts(text) == set()
