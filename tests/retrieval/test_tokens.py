import pytest

from retrieval.tokens import query_tokens, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("ERR_4032", ["err_4032", "err", "4032"]),
        ("err_4032。", ["err_4032", "err", "4032"]),
        ("ＥＲＲ＿４０３２", ["err_4032", "err", "4032"]),
        ("PPR-9087", ["ppr-9087", "ppr", "9087"]),
        ("GB/T 7714-2015", ["gb/t", "gb", "t", "7714-2015", "7714", "2015"]),
        ("v2.3.1", ["v2.3.1", "v2", "3", "1"]),
        ("A0427", ["a0427"]),
        ("user_id", ["user_id", "user", "id"]),
        ("gpt-4o", ["gpt-4o", "gpt", "4o"]),
        ("TLS 1.3", ["tls", "1.3"]),
        ("12.5%", ["12.5%", "12.5"]),
        ("C# and C++", ["c#", "c", "and", "c++", "c"]),
        ("Use Postgres.", ["use", "postgr"]),
        ("第四十六条", ["第46条"]),
        ("劳动合同法第四十六条", ["劳动", "劳", "动", "合同", "合同法", "合", "同", "法", "第46条"]),
        ("第46条", ["第46条"]),
        ("", []),
        ("，。！？——", []),
    ],
)
def test_tokenize(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_chinese_words_give_their_parts_too() -> None:
    assert {"应付账款", "账款"} <= set(tokenize("应付账款"))


def test_full_width_and_half_width_are_one() -> None:
    assert tokenize("ＶＰＮ　２００％") == tokenize("vpn 200%")


def test_characters_of_chinese_words_can_be_left_out() -> None:
    assert tokenize("报销审批", characters=False) == ["报销", "审批"]
    assert tokenize("报销审批") == ["报销", "报", "销", "审批", "审", "批"]


def test_traditional_and_simplified_are_one() -> None:
    assert tokenize("資訊安全與頭髮") == tokenize("资讯安全与头发")
    assert query_tokens("誰負責審批？") == query_tokens("谁负责审批？")


@pytest.mark.parametrize(
    ("one", "other"),
    [("reimbursements", "reimbursement"), ("approved", "approves"), ("Policies", "policy"), ("company's", "companies")],
)
def test_english_words_of_one_stem_are_one(one: str, other: str) -> None:
    assert tokenize(one) == tokenize(other)
    assert len(tokenize(one)) == 1


def test_query_tokens_drop_stop_words() -> None:
    assert query_tokens("年假是多少天的？") == ["年", "假", "天"]
    assert query_tokens("How many days of leave are there?") == ["day", "leav"]


@pytest.mark.parametrize(
    ("question", "code", "times"),
    [
        # Half of the tokens beside the code, rounded to even, come on top of it: err and 4032; six; three; none.
        ("ERR_4032", "err_4032", 2),
        ("a0427 错误原因", "a0427", 4),
        ("第四十六条 补偿", "第46条", 3),
        ("2024 补偿", "2024", 1),
    ],
)
def test_a_code_counts_for_half_of_the_rest_of_a_question(question: str, code: str, times: int) -> None:
    assert query_tokens(question).count(code) == times


def test_query_tokens_never_empty_a_question() -> None:
    assert query_tokens("的 了 吗") == ["的", "了", "吗"]
    assert query_tokens("who is it") == ["who", "is", "it"]
