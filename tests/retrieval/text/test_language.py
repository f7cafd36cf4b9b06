import pytest

from retrieval.text.folding import folded
from retrieval.text.language import Language, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("年假一共有多少天？", "zh"),
        ("GC overhead limit exceeded 怎么办", "zh"),
        ("How many days of leave are there?", "en"),
        ("Ms Wang (王) is responsible for the leave requests of every office in the city.", "en"),
        ("1234", "en"),
    ],
)
def test_language_of(text: str, language: Language) -> None:
    assert language_of(text) == language


def test_folded_width_and_case() -> None:
    assert folded("ＥＲＲ＿4032 Ⅳ ﬁne") == "err_4032 iv fine"
