from agent.quoting.made_questions import made_questions
from preprocessing.document import Chunk


def chunk(number: int, text: str) -> Chunk:
    return Chunk(f"c{number}", "d", "r", number, text, (), None, "a.md", "A", "md")


ZH = "员工出差期间的住宿费在城市限额以内凭发票据实报销，每晚最多 500 元。"
EN = "Employees may claim the cost of a taxi between the airport and the hotel, up to 75 dollars a day."


def test_a_question_is_part_of_a_sentence_without_its_figures() -> None:
    for text in (ZH, EN):
        ((question, source),) = made_questions([chunk(0, text)], 5)
        assert source.text == text
        assert not any(character.isdigit() for character in question)
        words = question.rstrip("？?").split() if text == EN else list(question.rstrip("？"))
        assert set(words) <= set(text.replace(",", " ").replace(".", " ").split() if text == EN else text)
        assert len(question) < len(text)


def test_they_are_the_same_every_time_and_no_more_than_asked_for() -> None:
    chunks = [chunk(number, ZH) for number in range(20)]
    first = list(made_questions(chunks, 7))
    assert len(first) == 7
    assert first == list(made_questions(chunks, 7))


def test_what_says_too_little_is_not_asked_about() -> None:
    short = [
        "短句。",
        "Too short.",
        "| 级别 | 限额 |\n| --- | --- |\n| 经理级别的员工在上海住宿 | 650 元每晚含早餐 |",
        "",
        "1" * 80,
    ]
    assert list(made_questions([chunk(number, text) for number, text in enumerate(short)], 5)) == []
