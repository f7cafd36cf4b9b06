import pytest

from agent.facts.possession import possessions
from agent.facts.source import Source

STAFF = """员工甲：部门研发，持有电工证。
员工乙：部门运维，无证书。
Ann Lee has a permit.
Bob: no permit
王强：持有驾照。
李梅：没有驾照。"""


@pytest.mark.parametrize(
    ("claim", "said", "held"),
    [
        ("员工甲没有电工证，在研发部。", "没有电工证", "持有电工证"),
        ("研发部没有电工证的，是员工甲。", "没有电工证的", "持有电工证"),
        ("没有电工证的员工是员工甲。", "没有电工证的员工是员工甲", "持有电工证"),
        ("员工乙有证书。", "有证书", "无证书"),
        ("王强没有驾照。", "没有驾照", "持有驾照"),
        ("李梅持有驾照。", "持有驾照", "没有驾照"),
        ("Ann Lee has no permit.", "has no permit", "Ann Lee has a permit"),
        ("Bob holds a permit.", "holds a permit", "no permit"),
        ("Ｂｏｂ has a permit.", "has a permit", "no permit"),
    ],
)
def test_what_somebody_has_is_not_denied(claim: str, said: str, held: str) -> None:
    found = [(one.said, one.held) for one in possessions(claim, [Source(STAFF)])]
    assert found == [(said, held)]


def test_each_sentence_is_on_whom_it_names() -> None:
    (found,) = possessions("没有驾驶证的是员工甲。", [Source("员工甲持有驾驶证。员工乙没有驾驶证。")])
    assert found.held == "员工甲持有驾驶证"


@pytest.mark.parametrize(
    "claim",
    [
        "员工甲持有电工证。",
        "员工乙无证书。",
        "李梅没有驾照，王强持有驾照。",
        "Bob has no permit.",
        "Ann Lee has a permit.",
        # Nothing is said of it at all.
        "员工甲没有护照。",
        "Bob has no passport.",
        # Some have one and some do not.
        "没有驾照的不得驾车。",
    ],
)
def test_what_is_said_or_not_spoken_of_is_left_alone(claim: str) -> None:
    assert list(possessions(claim, [Source(STAFF)])) == []


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Employees with a licence may drive.", "The visitor has no licence."),
        ("电工证每三年复审一次。", "他没有电工证。"),
        ("Only employees who hold a licence may drive.", "Employees may not drive without a licence."),
        ("To enter you must have a badge.", "Nobody enters without a badge."),
        ("未取得许可证不得营业。", "要营业必须具有许可证。"),
        ("正式员工有年终奖，试用期员工除外。", "试用期员工没有年终奖。"),
        ("Only permanent employees have a pension.", "Interns have no pension."),
        ("The old system had a limit. The new one has removed the limit.", "The new system has no limit."),
    ],
)
def test_what_is_required_or_of_others_denies_nothing(passage: str, claim: str) -> None:
    assert list(possessions(claim, [Source(passage)])) == []
