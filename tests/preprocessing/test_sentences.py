import pytest

from preprocessing.sentences import cut, sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("先断电。再检查！可以吗？好；完", ["先断电。", "再检查！", "可以吗？", "好；", "完"]),
        ("他说：“可以。”然后走了。", ["他说：“可以。”", "然后走了。"]),
        ("（见附件。）下一句。", ["（见附件。）", "下一句。"]),
        ("It costs 3.5 yuan. Pay at once.", ["It costs 3.5 yuan. ", "Pay at once."]),
        ("Ask Dr. Li, e.g. today. Then go.", ["Ask Dr. Li, e.g. today. ", "Then go."]),
        ('He said "stop." Then left.', ['He said "stop." ', "Then left."]),
        ("Due Apr. 5. Pay by Sept. 9, 2024. Done", ["Due Apr. 5. ", "Pay by Sept. 9, 2024. ", "Done"]),
        ("See No. 5 of v2.3.1. Done", ["See No. 5 of v2.3.1. ", "Done"]),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("一二三四。五六七八。", 6, ["一二三四。", "五六七八。"]),
        ("一二三四。五六七八。", 10, ["一二三四。五六七八。"]),
        ("一二三，四五六，七八九", 5, ["一二三，", "四五六，", "七八九"]),
        ("one two three", 8, ["one two ", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("一二三四”。五", 4, ["一二三", "四”。五"]),
        ("a: 1\nb: 2\nc: 3", 9, ["a: 1\nb: 2\n", "c: 3"]),
    ],
)
def test_cut_takes_the_best_place(text: str, limit: int, parts: list[str]) -> None:
    assert cut(text, limit) == parts
