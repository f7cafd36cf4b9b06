import pytest

from agent.claims import check_claims

TABLE = """| 金额 | 申请和审批时限 | 审批人 |
| --- | --- | --- |
| 5000 元以下 | 三个工作日内 | 部门经理 |
| 8000 元以下 | 五个工作日内 | 财务总监 |"""
STAFF = "员工甲：部门研发，城市上海。\n员工乙：部门运维，城市北京。"
TEAMS = """Lee came in 2019 and works in sales at the head office.
Wong came in 2021 and works in support at the head office."""


@pytest.mark.parametrize(
    ("claim", "said", "held"),
    [
        # Most of it stands in the row whose last cell was taken, so the rest is what is wrong.
        ("金额：5000 元以下，申请和审批时限：三个工作日内，审批人：财务总监。[S1]", "5000 CNY", "8000 CNY"),
        ("员工甲：部门运维，城市上海。[S2]", "运维", "研发"),
        ("Lee came in 2019 and works in support at the head office. [S3]", "support", "sales"),
    ],
)
def test_what_another_record_has_in_this_place_is_found(claim: str, said: str, held: str) -> None:
    (found,) = check_claims(claim, {"S1": TABLE, "S2": STAFF, "S3": TEAMS})
    assert (said, held) in [(one.said, one.held) for one in found.findings]


@pytest.mark.parametrize(
    "claim",
    [
        "金额：5000 元以下，申请和审批时限：三个工作日内，审批人：部门经理。[S1]",
        "员工甲在研发部门，城市上海。[S2]",
        # Nothing else has it in this place: these may be other words for the same.
        "员工甲：部门研究，城市上海。[S2]",
        "Lee came in 2019 and is active in sales at the head office. [S3]",
    ],
)
def test_what_no_other_record_has_is_left_alone(claim: str) -> None:
    (found,) = check_claims(claim, {"S1": TABLE, "S2": STAFF, "S3": TEAMS})
    assert found.findings == ()
