import pytest

from retrieval.text.folding import simplified


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("資訊安全與頭髮、發展", "资讯安全与头发、发展"),
        ("简体不变，ＡＢＣ１２３", "简体不变，ＡＢＣ１２３"),
        ("No Chinese: café", "No Chinese: café"),
        ("年\0假\n後", "年\0假\n后"),
        ("年假\ud800", "年假?"),
        ("", ""),
    ],
)
def test_traditional_becomes_simplified_and_nothing_else_changes(text: str, expected: str) -> None:
    assert simplified(text) == expected
