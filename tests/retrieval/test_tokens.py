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
        ("Use Postgres.", ["use", "postgres"]),
        ("第四十六条", ["第46条"]),
        ("劳动合同法第四十六条", ["劳动", "合同", "合同法", "第46条"]),
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


def test_query_tokens_drop_stop_words() -> None:
    assert query_tokens("年假是多少天的？") == ["年", "年假", "假", "天"]


def test_query_tokens_never_empty_a_question() -> None:
    assert query_tokens("的 了 吗") == ["的", "了", "吗"]
    assert query_tokens("who is it") == ["who", "is", "it"]
