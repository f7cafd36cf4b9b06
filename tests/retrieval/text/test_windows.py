"""Windows hold all of a text, each within the limit."""

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.windows import windows


class Characters:
    """A tokenizer for which every character but a space is a token."""

    is_fast = True

    def __call__(self, text: str, **options: Any) -> dict[str, list[tuple[int, int]]]:
        return {"offset_mapping": [match.span() for match in re.finditer(r"\S", text)]}


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        ("一二三四", 4, 0, ["一二三四"]),
        ("一二三四五", 4, 0, ["一二三", "四五"]),
        ("一二三四五", 4, 1, ["一二三", "三四五"]),
        ("一二三四五六七", 4, 1, ["一二三四", "四五六七"]),
        ("一二三四五六七八九", 4, 0, ["一二三", "四五六", "七八九"]),
        ("一二三四五六七八九", 4, 3, ["一二三四", "二三四五", "三四五六", "四五六七", "五六七八", "六七八九"]),
        ("一二 三四 五", 2, 0, ["一二", "三四", "五"]),
        ("abc", 1, 0, ["a", "b", "c"]),
        ("", 4, 0, [""]),
    ],
)
def test_windows(text: str, size: int, overlap: int, expected: list[str]) -> None:
    assert windows(text, Characters(), size, overlap) == expected


@given(st.text("一二三", max_size=60), st.integers(1, 20), st.data())
def test_windows_hold_all_of_a_text_and_overlap(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    found = windows(text, Characters(), size, overlap)
    assert found[0] + "".join(piece[overlap:] for piece in found[1:]) == text
    assert all(first[len(first) - overlap :] == second[:overlap] for first, second in pairwise(found))
    assert max(map(len, found)) <= size or found == [text] == [""]
