import pytest

from retrieval.text.folding import fold_ordinals, to_decimal, to_int


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        *(("零", 0), ("十", 10), ("十二", 12), ("四十六", 46), ("一百零五", 105), ("一千二百", 1200), ("两万", 20_000)),
        *(("三万零五十", 30_050), ("一亿二千万", 120_000_000), ("二〇二四", 2024), ("一百一十", 110)),
        ("二万万", 200_000_000),
    ],
)
def test_to_int(numeral: str, value: int) -> None:
    assert to_int(numeral) == value


@pytest.mark.parametrize(
    ("numeral", "value"),
    [("三点五", "3.5"), ("十二点零六", "12.06"), ("一百点五〇", "100.50"), ("零点二五", "0.25"), ("两万", "20000")],
)
def test_to_decimal(numeral: str, value: str) -> None:
    assert str(to_decimal(numeral)) == value


def test_fold_ordinals_touches_articles_only() -> None:
    assert fold_ordinals("第四十六条和第二章，第一次，一百元") == "第46条和第2章，第一次，一百元"
