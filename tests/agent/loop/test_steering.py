"""A prompt that does not fit loses its oldest turns, then its oldest passages, and says so."""

import pytest
from langchain_core.agents import AgentAction

from agent.evidence import EvidenceLedger, best_passages, format_passage
from agent.loop.steering import EARLIER, Limits, Step, fit
from agent.sessions.turn import NO_HISTORY
from prompts import ContextWindow, approximate_tokens
from tests.fakes import make_hit

TURNS = "\n".join(f"User: 问题{number}\nAssistant: 答案{number}" for number in range(5))


def searched(*sizes: int) -> tuple[EvidenceLedger, list[Step]]:
    """Return a search for each size, with two passages of so many characters each."""
    ledger, steps = EvidenceLedger(), []
    for number, size in enumerate(sizes):
        hits = [make_hit("字" * size, f"c{number}-{rank}") for rank in range(2)]
        seen = "\n\n".join(map(format_passage, ledger.record(f"q{number}", hits)))
        steps.append((AgentAction("knowledge_search", f"q{number}", "Action"), seen))
    return ledger, steps


def labels_in(step: Step) -> list[str]:
    return [label for label in ("S1", "S2", "S3", "S4") if f"[{label}]" in step[1]]


def test_the_oldest_turns_go_first() -> None:
    _, steps = searched(50)
    room = sum(approximate_tokens(f"{action.log}\nObservation: {seen}\nThought: ") for action, seen in steps)
    history, fitted = fit(TURNS, steps, room + 45)
    assert history.startswith(f"{EARLIER}\nUser: 问题")
    assert history.endswith("User: 问题4\nAssistant: 答案4")
    assert "问题0" not in history
    assert fitted == steps


def test_then_the_passages_of_the_oldest_search_its_last_first() -> None:
    _, steps = searched(100, 100)
    _, first = fit(NO_HISTORY, steps, 420)
    assert [labels_in(step) for step in first] == [["S1"], ["S3", "S4"]]
    assert first[0][1].endswith("(left out to fit: S2)")
    _, second = fit(NO_HISTORY, steps, 320)
    assert [labels_in(step) for step in second] == [[], ["S3", "S4"]]
    assert "(left out to fit: S1–S2)" in second[0][1]


def test_the_best_passage_of_the_newest_search_stays_cut_where_it_must_be() -> None:
    _, steps = searched(100, 1000)
    _, fitted = fit(NO_HISTORY, steps, 400)
    assert [labels_in(step) for step in fitted] == [[], ["S3"]]
    assert "| (cut to fit)" in fitted[1][1]
    assert sum(approximate_tokens(seen) for _, seen in fitted) <= 400


def test_tokens_and_time_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    now, spent, told = [100.0], [0], list[str]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    limits = Limits(10, 5, lambda: spent[0], told.append)
    assert limits.reached() is None
    spent[0] = 10
    assert limits.reached() == "10 tokens (FOLIO_MAX_TOKENS)"
    spent[0], now[0] = 9, 105.0
    assert limits.reached() == "5 s (FOLIO_MAX_SECONDS)"
    assert told == ["10 tokens (FOLIO_MAX_TOKENS)", "5 s (FOLIO_MAX_SECONDS)"]


def test_the_best_of_each_search_is_shown_at_the_end() -> None:
    ledger, _ = searched(100, 100)
    shown = best_passages(ledger, 260)
    assert [label for label in ("S1", "S2", "S3", "S4") if f"[{label}]" in shown] == ["S1", "S3"]
    assert shown.endswith("(left out to fit: S2, S4)")
    assert best_passages(ledger, 10_000).count("字" * 100) == 4


def test_a_window_learns_what_a_model_reads() -> None:
    window = ContextWindow.of(16_000)
    assert window.prompt_tokens == 15_000
    window.shrink(10_000, 8000)
    assert window.prompt_tokens == 6000
    window.shrink(6000)
    assert window.prompt_tokens == 4500
    assert ContextWindow.of(1000).prompt_tokens == 500
