import pytest

from agent.quoting.specifics.missing import missing_specifics

RULES = ["劳动合同法 > 第一章\n第二条 适用范围。依照本法第三条执行。", "公司法 > 第十章\n第三条 公司是企业法人。"]


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("劳动合同法第二条规定了什么？", []),
        ("《公司法》第三条怎么说？", []),
        ("第三条怎么说？", []),
        # Another rule has the article, and the rule itself only speaks of it.
        ("劳动合同法第三条规定了什么？", ["劳动合同法第3条"]),
        ("《公司法》的第二条呢？", ["公司法第2条"]),
        # A rule that no passage is of is for the search to find.
        ("劳动法第三条", []),
    ],
)
def test_an_article_stands_in_its_own_rule(question: str, missing: list[str]) -> None:
    assert missing_specifics(question, RULES) == missing
