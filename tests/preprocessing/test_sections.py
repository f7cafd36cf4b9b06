import pytest

from preprocessing.load.headings import mark_headings
from preprocessing.load.markdown import markdown_blocks
from preprocessing.sections import sections


def paths(markdown: str) -> list[tuple[tuple[str, ...], str]]:
    return [(section.path, section.blocks[0].text) for section in sections(markdown_blocks(markdown))]


def test_paths_follow_the_levels() -> None:
    text = "前言\n\n# 甲\n\na\n\n## 乙\n\nb\n\n### 丙\n\nc\n\n## 丁\n\nd\n\n# 戊\n\ne"
    assert paths(text) == [
        ((), "前言"),
        (("甲",), "a"),
        (("甲", "乙"), "b"),
        (("甲", "乙", "丙"), "c"),
        (("甲", "丁"), "d"),
        (("戊",), "e"),
    ]


def test_a_sole_title_is_left_out_above_deeper_headings() -> None:
    assert paths("# 手册\n\n引言\n\n## 休假\n\n五天") == [(("手册",), "引言"), (("休假",), "五天")]


def test_comments_in_code_are_no_headings_and_setext_ones_are() -> None:
    text = "部署\n====\n\n```sh\n# 安装\nrun\n```\n\n卸载\n----\n\n清除"
    assert paths(text) == [(("部署",), "```sh\n# 安装\nrun\n```"), (("卸载",), "清除")]


def test_headings_without_text_give_no_section_unless_they_state_something() -> None:
    assert paths("# 一\n\n# 二\n\n# 紧急电话：8001\n\n# 押金 50 元\n\n# 第 3 章\n\n# 三\n\n正文") == [
        (("紧急电话：8001",), "紧急电话：8001"),
        (("押金 50 元",), "押金 50 元"),
        (("三",), "正文"),
    ]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("第一编 总则", 1),
        ("PART II - OBLIGATIONS", 1),
        ("第一章　总　则", 2),
        ("Section 1. Pump start", 2),
        ("第二节 薪酬", 3),
        ("一、适用范围", 3),
        ("（一）命名风格", 4),
        ("1. Interpretation", 4),
        ("1.2 付款方式", 5),
        ("1.2.3 Scope", 6),
        ("第三条 职工享受年休假", 0),
        ("1.【强制】不得以下划线开始。", 0),
        ("一、本制度适用于全体员工，自发布之日起施行。", 0),
        ("3.5 元", 0),
        ("2024 年", 0),
        ("第一章规定了总则，第二章规定了薪酬。", 0),
    ],
)
def test_headings_by_numbering(line: str, level: int) -> None:
    assert mark_headings([line, "", "下面是正文。"]) == [level, 0, 0]


def test_items_that_number_on_are_a_list() -> None:
    assert mark_headings(["须提交：", "（一）身份证", "（二）申请表", "（三）照片"]) == [0, 0, 0, 0]


def test_a_paragraph_that_is_styled_as_a_heading_is_text() -> None:
    long = "本条所称差旅费是指员工因公出差所发生的交通费和住宿费" * 5
    found = paths(f"# 差旅\n\n## 标准\n\n## {long}\n\n每晚 300 元。\n\n## 附则\n\n自发布之日起施行。")
    assert found == [(("标准",), long), (("附则",), "自发布之日起施行。")]
