import pytest

from agent.checks.citations import without_foreign_links

PASSAGES = ["Apply at https://hr.example/leave or https://hr.example/form?id=1."]


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("Apply at https://hr.example/leave.[S1]", "Apply at https://hr.example/leave.[S1]"),
        ("Apply [here](https://hr.example/form?id=1).[S1]", "Apply [here](https://hr.example/form?id=1).[S1]"),
        ("Five days.[S1] ![x](https://evil.example/?q=days)", "Five days.[S1] x"),
        ("Five days.[S1] ![x](https://hr.example/leave)", "Five days.[S1] x"),
        ("Five days, see https://evil.example/?q=days .[S1]", "Five days, see  .[S1]"),
        ("Five days.[S1](https://evil.example/?q=days)", "Five days.[S1]"),
        ("Five days [more](javascript:alert(1)).[S1]", "Five days more).[S1]"),
        ('Five days.[S1]<img src="https://evil.example">', "Five days.[S1]"),
        ("五天，见 https://evil.example/a。[S1]", "五天，见 。[S1]"),
        ("1 < 2 and [a] (b)", "1 < 2 and [a] (b)"),
    ],
)
def test_only_links_of_the_passages_stay(answer: str, kept: str) -> None:
    assert without_foreign_links(answer, PASSAGES) == kept
