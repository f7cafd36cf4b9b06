import signal
from collections.abc import Iterator

import pytest

from agent.repl import loop
from agent.repl.loop import Interrupts


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a clock of one value, which tests set."""
    now = [100.0]
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def installed() -> Iterator[Interrupts]:
    before = signal.getsignal(signal.SIGINT)
    made = Interrupts()
    with made.installed():
        yield made
    assert signal.getsignal(signal.SIGINT) == before


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_stops_what_allows_it_and_nothing_else(installed: Interrupts, clock: list[float]) -> None:
    press()
    with pytest.raises(KeyboardInterrupt), installed.allowed():
        press()
    press()


def test_an_impatient_second_ctrl_c_is_the_same_one(installed: Interrupts, clock: list[float]) -> None:
    with installed.allowed():
        with pytest.raises(KeyboardInterrupt):
            press()
        clock[0] += 0.9
        # While things are put in order.
        press()
        clock[0] += 0.2
        with pytest.raises(KeyboardInterrupt):
            press()
