import pytest

from agent.quoting.answer_type import AnswerType, asked_type


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("劳务派遣用工比例的上限是百分之几？", "share"),
        ("公积金贷款利率是多少？", "share"),
        ("What percent of salary is paid?", "share"),
        ("陪产假期间的工资按什么比例发？", "share"),
        ("要交多少钱？", "money"),
        ("How many times more did they have to pay for oil?", "number"),
        ("How much do people make at the office?", "money"),
        ("What is the maximum fine for a late report?", "money"),
        ("What is the minimum contribution rate?", "number"),
        ("What's the nightly hotel limit in Beijing?", "number"),
        ("What is the policy on rates?", "other"),
        ("What is the bonus based on?", "other"),
        ("What is the salary payment date?", "other"),
        ("What is the fine print?", "other"),
        ("What is the process to limit access?", "other"),
        ("What is the minimum qualification?", "other"),
        ("What is the exchange rate policy?", "other"),
        ("How do I pay for parking?", "other"),
        ("出差需要费用审批吗？", "other"),
        ("怎么申请免费停车？", "other"),
        ("上海住宿每晚最多多少钱？", "money"),
        ("午餐补贴标准是多少？", "money"),
        ("How many dollars for a critical bug?", "money"),
        ("年假有几天？", "duration"),
        ("日工资是按每月多少天折算的？", "duration"),
        ("试用期最长多久？", "duration"),
        ("几个月可以休一次？", "duration"),
        ("How many working days does it take?", "duration"),
        ("How long is probation?", "duration"),
        ("哪一年成立的？", "date"),
        ("几点上班？", "date"),
        ("In what year was it founded?", "date"),
        ("Between what times must I be online?", "date"),
        ("一共有多少人？", "number"),
        ("How many people attended?", "number"),
        ("需要哪些材料？", "list"),
        ("What are the steps?", "list"),
        ("ERR_4032 是什么意思？", "other"),
        ("Do I get paid time off to vote?", "other"),
    ],
)
def test_the_question_says_which_type(question: str, kind: AnswerType) -> None:
    assert asked_type(question) == kind
