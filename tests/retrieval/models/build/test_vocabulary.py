"""The pruned vocabulary keeps what Chinese, English and codes need, and every single character."""

import pytest

from retrieval.models.build import vocabulary
from retrieval.models.build.vocabulary import build_tokenizer, kept_pieces
from retrieval.models.encoder import SPECIAL


def pieces(*texts: str) -> list[tuple[str, float]]:
    return [*((special, 0.0) for special in SPECIAL), *((text, -float(at)) for at, text in enumerate(texts, 1))]


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("年假", True),
        ("帶薪", True),
        ("▁policy", True),
        ("2015", True),
        ("ERR", True),
        ("。」", True),
        ("д", True),
        ("▁か", True),
        ("▁", True),
        ("été", True),
        ("один", False),
        ("ありがとう", False),
        ("東京の", False),
        ("<mask>", False),
    ],
)
def test_what_stays(text: str, stays: bool) -> None:
    assert kept_pieces(pieces(text)) == [0, 1, 2, 3, *([4] if stays else [])]


def test_of_other_latin_pieces_the_most_frequent_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "COMMON_LATIN", 1)
    rare_first = [*pieces()[:4], ("größe", -9.0), ("über", -8.0), ("ab", -9.5)]
    assert kept_pieces(rare_first) == [0, 1, 2, 3, 5, 6]


def test_text_becomes_pieces() -> None:
    tokenizer = build_tokenizer(pieces("▁", "年假", "▁policy", "ABC", "～", "5", "</", "s", ">"))
    assert tokenizer.encode("　年假\n policy  ＡＢＣ ", add_special_tokens=False).tokens == [
        "▁",
        "年假",
        "▁policy",
        "▁",
        "ABC",
    ]
    assert tokenizer.encode("5～5</s>").tokens == ["<s>", "▁", "5", "～", "5", "</", "s", ">", "</s>"]
