"""Each rule for follow-ups states what it makes of a question; a model's reply is read or refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.memory import Turn
from agent.rewrite import needs_rewriting, rewrite_by_model, rewrite_by_rules, stand_alone
from tests.fakes import ScriptedChatModel


def turns(*questions: str) -> list[Turn]:
    return [Turn(question, "An answer.") for question in questions]


SUBSTITUTED = {
    "place": ("上海的住宿标准是多少？", "那北京呢？", "北京的住宿标准是多少？"),
    "place with its number": ("一线城市的住宿标准是每晚多少钱？", "省会城市呢？", "省会城市的住宿标准是每晚多少钱？"),
    "person": ("普通员工的住宿标准是多少？", "经理呢？", "经理的住宿标准是多少？"),
    "thing asked about": ("普通员工的住宿标准是多少？", "那餐补呢？", "普通员工的餐补是多少？"),
    "word with its ending": ("年假可以休几天？", "病假呢？", "病假可以休几天？"),
    "code": ("ERR_4032 是什么意思？", "那 ERR_4033 呢？", "ERR_4033 是什么意思？"),
    "code by its digits": ("ERR_4032 是什么意思？", "那 4033 呢？", "ERR_4033 是什么意思？"),
    "code by its digits, full width": ("err_4032怎么解决", "那４０３３呢", "err_4033怎么解决"),
    "year with a blank": ("2024 年的住宿标准是多少？", "那 2023 年呢？", "2023 年的住宿标准是多少？"),
    "en code by its digits": ("What does ERR_4032 mean?", "And 4033?", "What does ERR_4033 mean?"),
    "quantity of its unit": ("工作满10年不满20年，年休假有几天？", "满20年的呢？", "工作满20年，年休假有几天？"),
    "amount": ("单笔超过5000元的采购要谁审批？", "那2万元以上呢？", "单笔2万元以上的采购要谁审批？"),
    "time": ("现在的报销流程是什么？", "去年呢？", "去年的报销流程是什么？"),
    "time as a clause": ("现在春节法定放几天？", "改之前呢？", "改之前春节法定放几天？"),
    "condition in front": ("加班费怎么算？", "周末呢？", "周末，加班费怎么算？"),
    "full-width mark left out": ("上海的住宿标准是多少？", "那北京呢", "北京的住宿标准是多少？"),
    "en condition": (
        "How much annual leave do new employees accrue?",
        "and after 15 years?",
        "How much annual leave do new employees accrue after 15 years?",
    ),
    "en quantity of its unit": (
        "How many days do I get after 3 years?",
        "What about 10 years?",
        "How many days do I get after 10 years?",
    ),
    "en group": (
        "How many vacation days do employees get?",
        "what about contractors?",
        "How many vacation days do employees get for contractors?",
    ),
    "en name": ("What is the meal allowance in Berlin?", "How about Paris?", "What is the meal allowance in Paris?"),
    "en words with their ending": (
        "How much annual leave do I get?",
        "And sick leave?",
        "How much sick leave do I get?",
    ),
}

LEFT_OUT = {
    "no subject": ("工作满10年不满20年，年休假有几天？", "可以留到明年吗？", "年休假，可以留到明年吗？"),
    "condition only": ("年假有几天？", "超过了怎么办？", "年假，超过了怎么办？"),
    "party only": ("竞业限制最长几年？", "普通员工也要签吗？", "竞业限制，普通员工也要签吗？"),
    "relational noun": ("公积金贷款多久答复？", "利率是多少？", "公积金贷款，利率是多少？"),
    "head with its modifier": (
        "工伤的停工留薪期有多长？",
        "最多还能延长多久？",
        "工伤的停工留薪期，最多还能延长多久？",
    ),
    "verb taken for a noun": ("信息安全事件要多久上报？", "向谁报？", "信息安全事件，向谁报？"),
    "what to do about a code": ("ERR_4032 是什么意思？", "怎么解决？", "ERR_4032，怎么解决？"),
    "owner kept": ("普通员工的住宿标准是多少？", "那餐补是多少？", "普通员工的餐补是多少？"),
    "en single noun with article": (
        "What is sleep apnoea syndrome?",
        "What are the symptoms?",
        "What are the symptoms - sleep apnoea syndrome?",
    ),
    "en question word only": ("How do I request a new laptop?", "Who approves?", "Who approves - new laptop?"),
    "en superlative": (
        "How do women's football leagues work?",
        "Which is the most popular?",
        "Which is the most popular - women's football leagues?",
    ),
    "mixed languages": ("How much annual leave do I get?", "可以留到明年吗？", "annual leave，可以留到明年吗？"),
}

POINTED_AT = {
    "它": ("ERR_4032 是什么意思？", "它怎么解决？", "ERR_4032怎么解决？"),
    "它 as an object": ("信用额度是什么？", "银行为什么决定它？", "银行为什么决定信用额度？"),
    "他 after a time": ("王小明的职业是什么？", "1999年，他住在哪里？", "1999年，王小明住在哪里？"),
    "他们": ("实习生有哪些福利？", "他们有年假吗？", "实习生有年假吗？"),
    "该制度": ("公司的保密制度有哪些要求？", "该制度什么时候生效？", "公司的保密制度什么时候生效？"),
    "这": ("年假有几天？", "这需要谁审批？", "年假需要谁审批？"),
    "这段时间": ("工伤的停工留薪期有多长？", "这段时间谁负责照顾？", "工伤的停工留薪期谁负责照顾？"),
    "那里": ("北京办公室在哪里？", "那里有停车位吗？", "北京办公室有停车位吗？"),
    "it": ("How much annual leave do I get?", "Does it carry over?", "Does annual leave carry over?"),
    "it as an object": (
        "What is acid reflux?",
        "How does exercise affect it?",
        "How does exercise affect acid reflux?",
    ),
    "they": ("Who are contractors?", "Do they get paid leave?", "Do contractors get paid leave?"),
    "its": ("What is the travel policy?", "What is its scope?", "What is travel policy's scope?"),
    "that policy": ("What is the travel policy?", "Does that policy cover taxis?", "Does travel policy cover taxis?"),
    "there": ("Where is the Berlin office?", "Can I park there?", "Can I park in Berlin office?"),
    "one": (
        "What is the bug bounty program?",
        "How many dollars for a critical one?",
        "How many dollars for a critical bug bounty program?",
    ),
    "after an and": (
        "I lost my work laptop, what now?",
        "And if someone brings it back?",
        "And if someone brings work laptop back?",
    ),
}

SWITCHED = {
    "另外问下": ("公积金什么情况可以提取？", "另外问下，发票丢了怎么办？", "发票丢了怎么办？"),
    "换个问题": ("女职工产假有多少天？", "换个问题，公积金最低交多少？", "公积金最低交多少？"),
    "顺便问一下": ("年假有几天？", "顺便问一下，加班费怎么算？", "加班费怎么算？"),
    "那 with its own topic": ("婚假产假占年假吗？", "那婚假有几天？", "婚假有几天？"),
    "by the way": (
        "How much annual leave do I get?",
        "By the way, how do I reset my password?",
        "how do I reset my password?",
    ),
}

ALONE = {
    "code after travel": ("出差住宿标准是多少？", "ERR_4032 是什么意思？"),
    "noun cut in two": ("公积金怎么提取？", "当年的年假怎么折算？"),
    "deed as a topic": ("年假有几天？", "辞职要提前多久说？"),
    "deed with a relational noun": ("年假有几天？", "报销流程是什么？"),
    "noun as a topic": ("年假有几天？", "加班费怎么算？"),
    "definition of a deed": ("年假有几天？", "什么是窃听？"),
    "其 bound by a noun": ("年假有几天？", "部门为了管理员工处理其信息，要本人同意吗？"),
    "它 bound by a clause": ("年假有几天？", "供应商收到货款，它要多久发货？"),
    "其他 is no pronoun": ("年假有几天？", "其他假期怎么申请？"),
    "应该 is no 该": ("年假有几天？", "用户输入非法应该返回哪个错误码？"),
    "他 inside a word": ("年假有几天？", "吉他社怎么加入？"),
    "thanks": ("年假有几天？", "谢谢"),
    "en code": ("How much annual leave do I get?", "What does ERR_4032 mean?"),
    "en expletive": ("How do I request a new laptop?", "Is it possible to get a second monitor?"),
    "en there is": ("How do I request a new laptop?", "How many public holidays are there in Spain?"),
    "en relative that": ("How do I request a new laptop?", "Which team is the one that belongs to California?"),
    "en bound pronoun": ("How do I request a new laptop?", "If a visitor loses a badge, who replaces it?"),
    "en bound whose": ("How do I request a new laptop?", "How did Netflix change its business?"),
    "en other language before": ("年假有几天？", "How many days can I carry over?"),
}


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        pytest.param(*case, id=name)
        for rule in (SUBSTITUTED, LEFT_OUT, POINTED_AT, SWITCHED)
        for name, case in rule.items()
    ],
)
def test_a_follow_up_becomes_a_question_that_stands_alone(before: str, question: str, expected: str) -> None:
    assert rewrite_by_rules(question, turns(before)) == [expected]
    assert stand_alone(question, turns(before)) == expected
    assert needs_rewriting(question, turns(before))


@pytest.mark.parametrize(("before", "question"), ALONE.values(), ids=ALONE.keys())
def test_a_question_that_stands_alone_stays_as_it_is(before: str, question: str) -> None:
    assert rewrite_by_rules(question, turns(before)) == [question]
    assert not needs_rewriting(question, turns(before))


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (["上海的住宿标准是多少？", "那北京呢？", "超标了怎么办？"], "北京的住宿标准，超标了怎么办？"),
        (["工作满10年不满20年，年休假有几天？", "满20年的呢？", "可以留到明年吗？"], "年休假，可以留到明年吗？"),
        (["年假有几天？", "谁审批？", "可以取消吗？"], "年假，可以取消吗？"),
        (["年假有几天？", "另外问下，加班费怎么算？", "它什么时候发？"], "加班费什么时候发？"),
        (["What is acid reflux?", "Is it dangerous?", "How long does it last?"], "How long does acid reflux last?"),
        (["What is acid reflux?", "What is jet lag?", "How long does it last?"], "How long does jet lag last?"),
        (["", "年假有几天？", "谁审批？"], "年假，谁审批？"),
    ],
)
def test_a_chain_of_follow_ups_keeps_the_topic(questions: list[str], expected: str) -> None:
    assert stand_alone(questions[-1], turns(*questions[:-1])) == expected


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("年假和病假有什么区别？", ["年假", "病假"]),
        ("去标识化和匿名化有什么区别？", ["去标识化", "匿名化"]),
        ("对比一下经理和总监的住宿标准", ["经理的住宿标准", "总监的住宿标准"]),
        ("普通员工与经理的住宿标准有哪些不同？", ["普通员工的住宿标准", "经理的住宿标准"]),
        ("年假和事假哪个更划算？", ["年假", "事假"]),
        ("What is the difference between sick leave and annual leave?", ["sick leave", "annual leave"]),
        ("compare sick and annual leave", ["sick leave", "annual leave"]),
        (
            "Compare the leave rules for interns and employees",
            ["the leave rules for interns", "the leave rules for employees"],
        ),
        ("How does plan A differ from plan B?", ["plan A", "plan B"]),
        ("annual leave vs sick leave", ["annual leave", "sick leave"]),
    ],
)
def test_a_comparison_asks_for_each_side_too(question: str, sides: list[str]) -> None:
    assert rewrite_by_rules(question, []) == [question, *sides]


@pytest.mark.parametrize("question", ["甲公司和乙公司支持哪个方案？", "请假和销假怎么办理？", "How do I compare?"])
def test_naming_two_things_is_no_comparison(question: str) -> None:
    assert rewrite_by_rules(question, []) == [question]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("年假有几天？可以留到明年吗？", ["年假有几天？", "年假，可以留到明年吗？"]),
        ("年假有几天，病假呢？", ["年假有几天？", "病假有几天？"]),
        ("住宿标准和餐补分别是多少？", ["住宿标准是多少？", "餐补是多少？"]),
        ("What is the dress code? And who approves it?", ["What is the dress code?", "And who approves dress code?"]),
        (
            "How many holidays are there, and which ones fall on a Monday?",
            ["How many holidays are there?", "which ones fall on a Monday?"],
        ),
        ("甲是什么意思？乙是什么意思？丙是什么意思？丁是什么意思？", [f"{letter}是什么意思？" for letter in "甲乙丙"]),
        ("Can he sue me if I pay late? The rent is too high.", ["Can he sue me if I pay late? The rent is too high."]),
    ],
)
def test_several_questions_at_once_are_asked_one_by_one(question: str, expected: list[str]) -> None:
    assert rewrite_by_rules(question, []) == expected


def test_a_comparison_may_be_a_follow_up() -> None:
    assert rewrite_by_rules("它和病假有什么区别？", turns("年假有几天？")) == ["年假和病假有什么区别？", "年假", "病假"]


_WORDS = st.sampled_from(
    "那 它 呢 的 这 该制度 年假 北京 满20年 ERR_4032 和 区别 有什么 多少 吗 ？ ， 另外问下 可以 what about it they one "
    "and sick leave difference between there Berlin 3 years ?".split()
)
_QUESTIONS = st.lists(_WORDS, min_size=1, max_size=7).flatmap(
    lambda words: st.sampled_from(["".join(words), " ".join(words)])
)


@settings(max_examples=150, deadline=None)
@given(question=_QUESTIONS, before=st.lists(_QUESTIONS, max_size=3))
def test_there_are_one_to_three_queries_and_none_is_empty(question: str, before: list[str]) -> None:
    queries = rewrite_by_rules(question, turns(*before))
    assert 1 <= len(queries) <= 3
    assert all(query.strip() for query in queries)


@settings(max_examples=100, deadline=None)
@given(question=st.one_of(_QUESTIONS, st.text(max_size=30)))
def test_without_a_conversation_a_question_stays_as_it_is(question: str) -> None:
    assert stand_alone(question, []) == question


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
    assert rewrite_by_model("那北京呢？", turns("上海的住宿标准是多少？"), model, 500) == ["北京的住宿标准是多少？"]


def test_several_queries_of_a_model_keep_their_order_and_numbers() -> None:
    model = ScriptedChatModel(replies=["1. 2024 leave rules\n2. 3.5 days of leave\n3. ERR_4032 leave"])
    queries = rewrite_by_model("Compare the leave rules", [], model, 500)
    assert queries == ["2024 leave rules", "3.5 days of leave", "ERR_4032 leave"]


def test_a_chinese_question_may_keep_a_code_as_a_query() -> None:
    model = ScriptedChatModel(replies=["ERR_4032 是什么意思\nERR_4032"])
    assert rewrite_by_model("它是什么意思？", [], model, 500) == ["ERR_4032 是什么意思", "ERR_4032"]


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
    assert rewrite_by_model("那北京呢？", turns("上海的住宿标准是多少？"), model, 500) == ["北京的住宿标准是多少？"]


def test_an_english_question_is_not_searched_in_chinese() -> None:
    model = ScriptedChatModel(replies=["年假可以结转吗？"])
    before = turns("How much annual leave do I get?")
    assert rewrite_by_model("Does it carry over?", before, model, 500) == ["Does annual leave carry over?"]


def test_the_model_is_shown_the_conversation_and_the_question() -> None:
    model = ScriptedChatModel(replies=["北京的住宿标准是多少？"])
    rewrite_by_model("那北京呢？", [Turn("上海的住宿标准是多少？", "每晚 500 元 [S1]。")], model, 500)
    prompt = str(model.prompts[0][0].text)
    assert "User: 上海的住宿标准是多少？\nAssistant: 每晚 500 元。\nQuestion: 那北京呢？" in prompt


def test_digits_that_may_be_of_something_else_make_no_code() -> None:
    assert "A500" not in stand_alone("那 500 呢？", turns("报销 300 元和 A600 型号有什么区别？"))
    assert "P5" not in stand_alone("那 5 呢？", turns("3 月的 P2 会议几点？"))


@pytest.mark.parametrize(
    ("before", "question", "alone"),
    [
        ("What is the meal allowance?", "Is the allowance taxed?", "Is meal allowance taxed?"),
        ("What is the meal allowance?", "Is the allowance for travel taxed?", "Is the allowance for travel taxed?"),
        ("Define UK", "Is there poverty in the UK?", "Is there poverty in the UK?"),
    ],
)
def test_the_noun_of_the_topic_with_an_article_is_the_topic(before: str, question: str, alone: str) -> None:
    assert stand_alone(question, turns(before)) == alone
