import pytest

from preprocessing.encoding import decode
from preprocessing.errors import LoadError

SIMPLIFIED = "第三条 职工累计工作已满1年的，年休假5天。\n押金50元，当日退还。"
TRADITIONAL = "第三條 職工累計工作已滿一年，年休假五天。\n押金五十元，當日退還。"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (SIMPLIFIED.encode("utf-8"), SIMPLIFIED, "utf-8"),
        (SIMPLIFIED.encode("utf-8-sig"), SIMPLIFIED, "utf-8-sig"),
        (SIMPLIFIED.encode("utf-16"), SIMPLIFIED, "utf-16"),
        (b"\xfe\xff" + SIMPLIFIED.encode("utf-16-be"), SIMPLIFIED, "utf-16"),
        (SIMPLIFIED.encode("gbk"), SIMPLIFIED, "gb18030"),
        ("访客李䶮、𠮷田、㐂，押金五十元。".encode("gb18030"), "访客李䶮、𠮷田、㐂，押金五十元。", "gb18030"),
        (TRADITIONAL.encode("big5"), TRADITIONAL, "big5"),
        ("Don’t pay more than 5 €.".encode("cp1252"), "Don’t pay more than 5 €.", "cp1252"),
        (b"plain", "plain", "utf-8"),
    ],
)
def test_decodes(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


def test_line_ends_become_newlines() -> None:
    assert decode("一\r\n二\r三\n四".encode())[0] == "一\n二\n三\n四"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\0b", "NUL"),
        (b"\x89PNG\r\n\x1a\n\0\0\xff", "NUL"),
        (b"\xff\xfea", "not valid utf-16"),
    ],
)
def test_refuses_what_is_no_text(data: bytes, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        decode(data)
