import pytest

from agent.http.middleware import RateLimit


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_key_has_its_own_bucket_that_fills_with_time() -> None:
    clock = Clock()
    limit = RateLimit(2, clock)
    assert [limit.take("a") for _ in range(3)] == [0, 0, pytest.approx(30)]
    assert limit.take("b") == 0
    clock.now += 20
    assert limit.take("a") == pytest.approx(10)
    clock.now += 10
    assert limit.take("a") == 0
    # Nobody saves up more than a minute.
    clock.now += 3600
    assert [limit.take("a") for _ in range(3)] == [0, 0, pytest.approx(30)]


def test_no_limit() -> None:
    limit = RateLimit(0, Clock())
    assert {limit.take("a") for _ in range(1000)} == {0}
