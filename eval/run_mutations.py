"""The story of `eval mutations`: check right answers and wrong ones, and count what is caught and what is accused."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.answer import check_answer
from agent.check import FAILED
from agent.evidence import EvidenceLedger
from eval.correct_answers import correct_answers
from eval.mutations import KINDS, LABEL, RESTATED, RESTATED_WRONG, UNCHANGED, Case, cases
from eval.report import Cell, markdown_table
from eval.sets import load_set
from retrieval.hit import Hit

RIGHT = (UNCHANGED, RESTATED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one case."""

    case: Case
    set_name: str
    accused: bool
    """For an unchanged answer a false alarm, for a mutation that it was caught."""
    why: str


def run_mutations(folders: Sequence[Path], split: str = "dev", limit: int = 100) -> list[Verdict]:
    """Check the cases of at most `limit` right answers of each set."""
    return [
        verdict(case, folder.resolve().name)
        for folder in folders
        for case in cases(list(correct_answers(load_set(folder, split), limit)))
    ]


def verdict(case: Case, set_name: str) -> Verdict:
    """Check one case as the agent does, with all its passages at hand.

    A changed fact is caught when the sentence is not shown as supported; a wrong label when it does not stay.
    """
    ledger = EvidenceLedger()
    ledger.record(case.answer.query.text, [Hit(chunk, 0.0) for chunk in (case.answer.gold, *case.answer.others)])
    checks = check_answer(f"{case.text} [{case.cited}]", ledger).checks
    why = "; ".join(f"{check.status}: {check.reason}" for check in checks if check.status != "supported")
    if case.kind in RIGHT:
        accused = any(check.status != "supported" for check in checks)
    elif case.kind == LABEL:
        accused = all(case.cited not in check.labels or check.status == "removed" for check in checks)
    else:
        accused = any(check.status in FAILED for check in checks)
    return Verdict(case, set_name, accused, why)


def mutations_table(verdicts: Sequence[Verdict]) -> str:
    """Return what was caught of each kind, what was falsely accused, and both by set."""
    languages = sorted({one.case.answer.language for one in verdicts}, reverse=True)
    heads = [f"{one} {what}" for one in languages for what in ("n", "share")]
    wrong = [(kind, (kind,)) for kind in KINDS] + [("all of them", KINDS), (RESTATED_WRONG, (RESTATED_WRONG,))]
    parts = [
        markdown_table(["caught", *heads], _by_kind(verdicts, languages, wrong)),
        markdown_table(["false alarms", *heads], _by_kind(verdicts, languages, [(one, (one,)) for one in RIGHT])),
        markdown_table(
            ["set", "mutations", "caught", *(f"{kind}, {what}" for kind in RIGHT for what in ("n", "false alarms"))],
            [
                [name, *_counted(own, KINDS), *(cell for kind in RIGHT for cell in _counted(own, (kind,)))]
                for name in dict.fromkeys(one.set_name for one in verdicts)
                for own in ([one for one in verdicts if one.set_name == name],)
            ],
        ),
    ]
    return "\n\n".join(parts)


def mistakes(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield each mutation that was missed and each right answer that was accused, as text."""
    for one in verdicts:
        if one.accused == (one.case.kind in RIGHT):
            said, why = one.case.text, f" ({one.why})" if one.why else ""
            yield f"{one.set_name}, {one.case.kind}{why}\n  gold: {one.case.answer.sentence}\n  said: {said}"


def _by_kind(
    verdicts: Sequence[Verdict], languages: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]
) -> list[list[Cell]]:
    spoken = {language: [one for one in verdicts if one.case.answer.language == language] for language in languages}
    return [[name, *(cell for own in spoken.values() for cell in _counted(own, kinds))] for name, kinds in rows]


def _counted(verdicts: Sequence[Verdict], kinds: Sequence[str]) -> list[Cell]:
    accused = [one.accused for one in verdicts if one.case.kind in kinds]
    return [str(len(accused)), f"{sum(accused) / len(accused):.3f}" if accused else "–"]
