import pytest

from preprocessing.errors import LoadError
from preprocessing.load.encoding import decode, decode_clean, without_mojibake

SIMPLIFIED = "第三条 职工累计工作已满1年的，年休假5天。\n押金50元，当日退还。"
TRADITIONAL = "第三條 職工累計工作已滿一年，年休假五天。\n押金五十元，當日退還。"

RARE = "访客李䶮、𠮷田、㐂登记姓名并领取罘罳、薜荔、薏苡、荸荠各一份"


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
        (SIMPLIFIED.encode("utf-16-le"), SIMPLIFIED, "utf-16-le"),
        (RARE.encode("utf-16-le"), RARE, "utf-16-le"),
        (RARE.encode("utf-16-be"), RARE, "utf-16-be"),
        ("年休假五天".encode("gbk"), "年休假五天", "gb18030"),
        (RARE.encode("utf-16"), RARE, "utf-16"),
        (TRADITIONAL.encode("gbk"), TRADITIONAL, "gb18030"),
        (f"{TRADITIONAL}恒裏".encode("cp950"), f"{TRADITIONAL}恒裏", "cp950"),
        (f"{TRADITIONAL}啲嘢喺邊度".encode("big5hkscs"), f"{TRADITIONAL}啲嘢喺邊度", "big5hkscs"),
    ],
)
def test_decodes(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\0b", "NUL"),
        (b"\x89PNG\r\n\x1a\n\0\0\xff", "NUL"),
        (b"\xff\xfea", "not valid utf-16"),
        ("".join(map(chr, range(0x100, 0xD7FF, 97))).encode("utf-16"), "read as utf-16 it is no text in any language"),
        ("".join(map(chr, range(0x4E00, 0x9FFF, 97))).encode("utf-16"), "read as utf-16 it is no text in any language"),
        (("\ue000\ue123 \x01" * 9).encode("utf-32"), "read as utf-32 it is no text in any language"),
    ],
)
def test_refuses_what_is_no_text(data: bytes, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        decode(data)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_a_file_cut_inside_a_character_is_still_told_by_the_rest(encoding: str) -> None:
    decoded = decode_clean((SIMPLIFIED * 3).encode(encoding)[:-1])
    assert decoded.text == f"{(SIMPLIFIED * 3)[:-1]}[?]"
    assert decoded.encoding == encoding
    assert decoded.warnings == ("mojibake or lost characters ([?]) in part of line 4",)


def test_a_declared_encoding_is_believed_where_the_bytes_fit_it() -> None:
    assert decode("年假".encode("big5"), "big5") == ("年假", "big5")
    assert decode("年假".encode(), "big5") == ("年假", "utf-8")
    assert decode("年假".encode(), "x-unknown") == ("年假", "utf-8")
    assert decode("年假".encode("gbk"), "GB2312") == ("年假", "gb18030")


RIGHT = "职工累计工作已满1年的，年休假5天。\n" * 20
AS_GBK = "员工每年可享受五天年假期".encode().decode("gb18030")
AS_GBK_WITH_LOSS = "押金五十元，当日退还，不计利息。".encode().decode("gb18030", "replace")
AS_LATIN = "押金五十元，当日退还。".encode().decode("latin-1")
AS_WINDOWS = "Don’t pay — see the café".encode().decode("cp1252")


@pytest.mark.parametrize(
    "wrong", [AS_GBK, AS_GBK_WITH_LOSS, AS_LATIN, "锟斤拷锟斤拷锟斤拷", "烫烫烫烫烫烫", "\ufffd\ufffd\ufffd押"]
)
def test_wrong_lines_are_left_out_and_told(wrong: str) -> None:
    assert without_mojibake(f"{RIGHT}{wrong}\n末行") == (f"{RIGHT}\n末行", ("mojibake left out: line 21",))


@pytest.mark.parametrize("wrong", [AS_GBK, AS_LATIN, AS_WINDOWS, "锟斤拷"])
def test_a_file_of_mojibake_is_refused(wrong: str) -> None:
    with pytest.raises(LoadError, match=r"the text is mojibake .* on lines 1, 2; export it again as UTF-8"):
        without_mojibake(f"{wrong}\n{wrong}")


@pytest.mark.parametrize(
    "text",
    [
        "联通与鸭，鸭蛋鸭肉鸭绒。",
        "规范、规范、规范；2″—3″",
        "Ängström à la carte — naïve café, 5 €",
        "温度 ≤ 40 ℃，α、β 与 Ω",
        "如「锟斤拷」一类的乱码，多因编码转换而来。",
    ],
)
def test_right_text_stays(text: str) -> None:
    assert without_mojibake(f"{RIGHT}{text}")[0] == f"{RIGHT}{text}"
