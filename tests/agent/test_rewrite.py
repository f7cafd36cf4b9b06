"""A follow-up is searched with the question before it; a model's reply is read or refused."""

import pytest

from agent.rewrite import RewriteByModel, RewriteByRules
from agent.sessions.turn import Turn
from tests.fakes import ScriptedChatModel

RULES = RewriteByRules()


def turns(*questions: str) -> list[Turn]:
    return [Turn(question, "An answer.") for question in questions]


def by(model: ScriptedChatModel) -> RewriteByModel:
    return RewriteByModel(model, history_tokens=500)


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("上海的住宿标准是多少？", "那北京呢？"),
        ("ERR_4032 是什么意思？", "它怎么解决？"),
        ("公积金贷款多久答复？", "利率是多少？"),
        ("How many days do I get after 3 years?", "What about 10 years?"),
        ("How much annual leave do I get?", "Does it carry over?"),
        ("How do I request a new laptop?", "Who approves?"),
        ("How much annual leave do I get?", "可以留到明年吗？"),
    ],
)
def test_a_follow_up_is_asked_with_the_question_before_it(before: str, question: str) -> None:
    assert RULES.stand_alone(question, turns("午餐几点？", before)) == f"{before} {question}"
    assert RULES.rewrite(question, turns(before)) == [f"{before} {question}"]


@pytest.mark.parametrize(
    "question",
    [
        "出差去一线城市的正式员工每晚住宿标准最多是多少元？",
        "What does the error code ERR_4032 mean?",
        "Which laptop model do new engineers get in their first week?",
        "If a visitor loses a badge, who is the person that replaces it?",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(question: str) -> None:
    assert RULES.rewrite(question, turns("年假有几天？")) == [question]


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (
            ["上海的住宿标准是多少？", "那北京呢？", "超标了怎么办？"],
            "上海的住宿标准是多少？ 那北京呢？ 超标了怎么办？",
        ),
        (["年假有几天？", "公积金最低交多少？", "它什么时候发？"], "公积金最低交多少？ 它什么时候发？"),
        (["", "年假有几天？", " ", "谁审批？"], "年假有几天？ 谁审批？"),
    ],
)
def test_a_question_that_hardly_says_anything_needs_the_one_before_it_too(questions: list[str], expected: str) -> None:
    assert RULES.stand_alone(questions[-1], turns(*questions[:-1])) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "北京的住宿标准是多少？",
        "1. 北京的住宿标准是多少？",
        "1、北京的住宿标准是多少？",
        "（1）北京的住宿标准是多少？",
        "- 北京的住宿标准是多少？",
        "* 北京的住宿标准是多少？",
        "• 北京的住宿标准是多少？",
        "Queries:\n北京的住宿标准是多少？",
        "**Query 1:** 北京的住宿标准是多少？",
        "查询：北京的住宿标准是多少？",
        "改写后的问题如下：\n北京的住宿标准是多少？",
        "```\n北京的住宿标准是多少？\n```",
        "```text\n1) 北京的住宿标准是多少？\n```",
        "“北京的住宿标准是多少？”",
        "<think>The user asks\nabout Beijing\nnow\nand so on</think>\n北京的住宿标准是多少？",
        "北京的住宿标准是多少？\n\n北京的住宿标准是多少？",
        # What goes on with the examples of the prompt.
        "北京的住宿标准是多少？\n\nExample\nConversation:\n(none)\nQuestion: Compare x and y\nQueries:\nx\ny",
        "北京的住宿标准是多少？\n\nConversation:\nUser: 广州呢？\nAssistant: 每晚 400 元。\nQuestion: 深圳呢？",
        "北京的住宿标准是多少？\nQuestion: 深圳呢？\nQueries:\n深圳的住宿标准是多少？",
    ],
)
def test_queries_are_read_however_the_model_writes_them(reply: str) -> None:
    model = ScriptedChatModel(replies=[reply])
    assert by(model).rewrite("那北京呢？", turns("上海的住宿标准是多少？")) == ["北京的住宿标准是多少？"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n ",
        "<think>I do not know",
        "Queries:",
        "北京每晚 500 元。",
        "北京每晚 500 元 [S1]",
        "好的！北京的住宿标准",
        "甲\n乙\n丙\n丁",
        "What is the hotel limit in Beijing?",
        "(none)\nQuestion: 比较不同时间段的会议安排\nQueries:\n会议安排",
        "(1)\n\nQuestion: 比较不同时间段的会议安排\nQueries:\n会议安排",
        "Conversation:\nUser: 广州呢？",
        "(…)",
        # About nothing that was spoken of.
        "会议室怎么预订？",
        "北" * 301,
    ],
)
def test_a_reply_that_is_no_list_of_queries_falls_back_on_the_rules(reply: str) -> None:
    model = ScriptedChatModel(replies=[reply])
    assert by(model).rewrite("那北京呢？", turns("上海的住宿标准是多少？")) == ["上海的住宿标准是多少？ 那北京呢？"]
