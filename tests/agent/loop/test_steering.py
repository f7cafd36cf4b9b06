from agent.loop.steering import Limits


def test_tokens_and_time_are_counted_from_the_beginning() -> None:
    now = [100.0]
    spent = [0]
    limits = Limits(10, 5, lambda: spent[0], lambda: now[0])
    assert limits.reached() is None
    spent[0] = 10
    assert limits.reached() == "10 tokens (FOLIO_MAX_TOKENS)"
    spent[0], now[0] = 9, 105.0
    assert limits.reached() == "5 s (FOLIO_MAX_SECONDS)"


def test_no_limits_are_never_reached() -> None:
    assert Limits.none().reached() is None
