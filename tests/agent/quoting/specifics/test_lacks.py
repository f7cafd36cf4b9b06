import pytest

from agent.quoting.specifics.missing import missing_specifics

STAFF = "员工甲：部门研发，城市上海，持有电工证。\n员工乙：部门研发，城市北京，持有电工证。\n员工丙：部门运维，无证书。"


@pytest.mark.parametrize(
    ("question", "evidence", "missing"),
    [
        ("研发部、在北京、没有电工证的员工是谁？", STAFF, ["没有电工证"]),
        ("在北京，没有电工证的有哪些人？", STAFF, ["没有电工证"]),
        ("哪位员工没有电工证？", STAFF, ["没有电工证"]),
        ("没有证书的员工是谁？", STAFF, []),
        ("哪位员工没有驾照？", STAFF, []),
        ("没有电工证的员工可以工作吗？", STAFF, []),
        ("没有工龄的员工享受哪些假？", "工龄满一年的员工，年假 5 天。", []),
        ("Who in Berlin has no licence?", "Ann: Berlin, licence A. Bob: Munich, licence B.", ["has no licence"]),
        ("Who doesn’t have a licence?", "Ann: Berlin, licence A. Bob: Munich, without a licence.", []),
        ("谁没有驾照？", "| 姓名 | 驾照 |\n| --- | --- |\n| 王强 | C1 |\n| 李娜 | 无 |", []),
        ("谁没有驾照？", "| 姓名 | 驾照 |\n| --- | --- |\n| 王强 | C1 |\n| 李娜 | C2 |", ["没有驾照"]),
        ("谁没有年终奖？", "试用期员工不享有年终奖。", []),
        ("谁没有年终奖？", "年终奖仅发放给转正员工。", []),
        ("Who does not have a badge?", "Contractors are refused a badge.", []),
        ("Who approves travel?", "A manager who has no deputy approves travel.", []),
    ],
)
def test_what_somebody_must_not_have_is_missing_where_everybody_has_it(
    question: str, evidence: str, missing: list[str]
) -> None:
    assert missing_specifics(question, [evidence]) == missing
