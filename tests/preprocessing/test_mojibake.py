import pytest

from preprocessing.errors import LoadError
from preprocessing.load.encoding import without_mojibake

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


def test_a_lost_character_leaves_a_gap() -> None:
    text, warnings = without_mojibake(f"{RIGHT}押金为1\ufffd\ufffd0元，当日退还，不计利息。")
    assert text == f"{RIGHT}押金为1[?]0元，当日退还，不计利息。"
    assert warnings == ("mojibake or lost characters ([?]) in part of line 21",)


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
