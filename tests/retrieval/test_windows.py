"""Windows hold all of a text, each within the limit."""

import re
from typing import Any

import pytest

from retrieval.windows import windows


class Characters:
    """A tokenizer for which every character but a space is a token."""

    is_fast = True

    def __call__(self, text: str, **options: Any) -> dict[str, list[tuple[int, int]]]:
        return {"offset_mapping": [match.span() for match in re.finditer(r"\S", text)]}


class Slow(Characters):
    is_fast = False


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        ("一二三四", 4, 0, ["一二三四"]),
        ("一二三四五", 4, 0, ["一二三四", "五"]),
        ("一二三四五", 4, 1, ["一二三四", "四五"]),
        ("一二三四五六七", 4, 1, ["一二三四", "四五六七"]),
        ("一二 三四 五", 2, 0, ["一二", "三四", "五"]),
        ("abc", 1, 0, ["a", "b", "c"]),
        ("", 4, 0, [""]),
    ],
)
def test_windows(text: str, size: int, overlap: int, expected: list[str]) -> None:
    assert windows(text, Characters(), size, overlap) == expected


def test_a_slow_tokenizer_leaves_the_text_whole() -> None:
    assert windows("一二三四五", Slow(), 2) == ["一二三四五"]
