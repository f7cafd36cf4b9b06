import pytest

from preprocessing.document import MAX_HEADING_CHARS, Chunk


def chunk(title: str, *section: str) -> Chunk:
    return Chunk("c", "d", "r", 0, "五天。", section, None, "kb/a.md", title, "md")


@pytest.mark.parametrize(
    ("found", "searched"),
    [
        (chunk("制度", "总则", "范围"), "制度 > 总则 > 范围\n五天。"),
        (chunk("制度", "制度", "范围"), "制度 > 范围\n五天。"),
        (chunk(""), "五天。"),
        (chunk("制度", "总" * 110, "范" * 30), f"制度 > {'范' * 30}\n五天。"),
        (chunk("制" * 100, "范" * 30), f"{'范' * 30}\n五天。"),
        (chunk("制" * 200), f"{'制' * MAX_HEADING_CHARS}\n五天。"),
    ],
)
def test_headings_are_searched_with_the_text_and_leave_it_room(found: Chunk, searched: str) -> None:
    assert found.search_text == searched
