"""Labels are read, removed and given to their sentences."""

import pytest

from agent.checks.citations import cited_labels, remove_unknown_labels, split_claims


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("年假 5 天。[S1]病假 3 天[S2]。", [("年假 5 天。[S1]", ("S1",)), ("病假 3 天[S2]。", ("S2",))]),
        (
            "Five days. [S1] Sick pay is 80%. [S2][S3]",
            [("Five days. [S1]", ("S1",)), ("Sick pay is 80%. [S2][S3]", ("S2", "S3"))],
        ),
        ("A is 5 [S1, S2]. B.", [("A is 5 [S1, S2].", ("S1", "S2")), ("B.", ())]),
        ("甲；乙！丙？【S1】［Ｓ２］", [("甲；", ()), ("乙！", ()), ("丙？【S1】［Ｓ２］", ("S1", "S2"))]),
        ("他说“可以。”（S1）好。", [("他说“可以。”（S1）", ("S1",)), ("好。", ())]),
        (
            "Rate 3.5 vs. 4, e.g. in v2.3.1. Yes (S1).",
            [("Rate 3.5 vs. 4, e.g. in v2.3.1.", ()), ("Yes (S1).", ("S1",))],
        ),
        ("1. one [S1]\n2. two. [S2]\n", [("1. one [S1]", ("S1",)), ("2. two. [S2]", ("S2",))]),
        ("| 类 | 天 |\n|---|---|\n| 年假。 | 5 [S1] |", [("| 类 | 天 |", ()), ("| 年假。 | 5 [S1] |", ("S1",))]),
        ("年假 5 天。\n[S1]\n\n好", [("年假 5 天。\n[S1]", ("S1",)), ("好", ())]),
        ("Ask HR.[S2]Then wait.", [("Ask HR.[S2]", ("S2",)), ("Then wait.", ())]),
        ("See a.co/x?y=1. Is it?[S1]", [("See a.co/x?y=1.", ()), ("Is it?[S1]", ("S1",))]),
        ("", []),
    ],
)
def test_sentences_take_the_labels_in_or_right_after_them(
    answer: str, claims: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert split_claims(answer) == claims
    assert all(text in answer for text, _ in split_claims(answer))


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ("a [S2] b 【S1】［Ｓ３］(S2)（S4）", ["S2", "S1", "S3", "S4"]),
        ("[S1, S2、S3][S1；S5] [s6] [S 7] [S08]", ["S1", "S2", "S3", "S5", "S6", "S7", "S8"]),
        ("[S] [Sx] [1] (see S1) Size S1", []),
    ],
)
def test_cited_labels(answer: str, labels: list[str]) -> None:
    assert cited_labels(answer) == labels


@pytest.mark.parametrize(
    ("answer", "cleaned", "removed"),
    [
        ("年假 5 天。[S1] 病假 80%。[S9]", "年假 5 天。[S1] 病假 80%。", ["S9"]),
        ("Five days [S9]. Then [S9] six [S1].", "Five days. Then six [S1].", ["S9"]),
        ("A【S1，S9】B（S2）", "A[S1]B[S2]", ["S9"]),
        ("[S9] Five days\n[S8] six", "Five days\nsix", ["S9", "S8"]),
        ("| 年假 | 5 [S9] |\n  - x [S9]\n", "| 年假 | 5 |\n  - x\n", ["S9"]),
        ("5[S9]6", "5 6", ["S9"]),
        ("  - keep  [S1]  this", "  - keep  [S1]  this", []),
        ("", "", []),
    ],
)
def test_unknown_labels_are_removed_and_known_ones_made_alike(answer: str, cleaned: str, removed: list[str]) -> None:
    assert remove_unknown_labels(answer, {"S1", "S2"}) == (cleaned, removed)
