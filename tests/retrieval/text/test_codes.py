import pytest

from retrieval.text.codes import codes_in, is_code


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("ERR_4032怎么处理", ["ERR_4032"]),
        ("按 GB/T 7714-2015 与 ISO 9001 执行", ["GB/T 7714-2015", "ISO 9001"]),
        ("Since v2.3.1 the error pay-3300 is gone.", ["v2.3.1", "pay-3300"]),
        ("the first 30 days, 5GB, 2nd, 30km/h and 2024-03-01", []),
        ("no codes here, and/or well-known", []),
        ("PPR-9087.", ["PPR-9087"]),
    ],
)
def test_codes_in(text: str, codes: list[str]) -> None:
    assert codes_in(text) == codes


def test_a_token_is_a_code_with_a_letter_and_a_digit() -> None:
    assert [token for token in ("err_4032", "第46条", "4032", "年假", "v2") if is_code(token)] == [
        "err_4032",
        "第46条",
        "v2",
    ]
