import pytest

from agent.facts.designations import designations, designations_not_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("甲方应在 30 日内付款给乙方", {"A": "甲方", "B": "乙方"}),
        ("Party A pays Party B", {"A": "Party A", "B": "Party B"}),
        ("员工丁在上海", {"D": "员工丁"}),
        ("员工 Ｄ 在上海", {"D": "员工 D"}),
        ("方案B更好；方案 甲 次之", {"A": "方案 甲"}),
        ("方案B：免赔额 500 元", {"B": "方案B"}),
        ("See Appendix C.", {"C": "Appendix C"}),
        ("乙类车，A级", {"B": "乙类", "A": "A级"}),
        # Letters that tell nothing apart.
        ("the team I lead", {}),
        ("己方的责任", {}),
        ("甲方案", {}),
        ("员工乙肝检测", {}),
        ("员工丁伟（研发部）", {}),
        ("员工B超检查费用", {}),
        ("the employee A. Smith", {}),
        ("User A/B tests", {}),
        ("User Alice and a group a day", {}),
        ("甲醛超标", {}),
    ],
)
def test_they_are_read_by_their_letters(text: str, expected: dict[str, str]) -> None:
    assert designations(text) == expected


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("甲在上海；乙在北京；丙在广州。", "员工丁在上海。"),
        ("Plan A costs $5. Plan B costs $9.", "Plan C costs $5."),
        ("| 方案 | 保费 |\n| 甲 | 120元 |\n| 乙 | 150元 |", "方案丙的保费为 150 元。"),
    ],
)
def test_one_that_nothing_is_called_is_found(text: str, claim: str) -> None:
    assert list(designations_not_in([text], claim)) == [next(iter(designations(claim).values()))]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("| Plan | Deductible |\n| A | $500 |\n| B | $900 |", "Plan B has a deductible of $900."),
        ("| 等级 | 住宿标准 |\n| A | 500元 |", "A级住宿标准为500元。"),
        ("供应商评级：\n- A：免检\n- B：抽检", "B级供应商抽检。"),
        ("Plans A and B have a deductible of $500.", "Plan B has a deductible of $500."),
        ("A、B类员工享受年度体检。", "A类员工享受年度体检。"),
        ("A级至C级免检。", "B级免检。"),
        ("甲乙双方各执一份。", "甲方、乙方各执一份。"),
        ("若甲不能履行，乙可解除合同。", "甲方不能履行的，乙方可以解除合同。"),
        ("Category A items are refundable.", "A类商品可退款。"),
        # Who the parties are may stand elsewhere.
        ("出租方应于5月1日交付房屋。", "甲方（出租方）应于5月1日交付房屋。"),
    ],
)
def test_one_that_stands_in_any_form_is_not_missing(text: str, claim: str) -> None:
    assert list(designations_not_in([text], claim)) == []
