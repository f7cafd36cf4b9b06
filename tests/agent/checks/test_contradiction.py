from agent.checks.contradiction import align, is_reversed, reversals
from agent.checks.passage import read_sequence


def differences(claim: str, *sentences: str) -> list[tuple[str, str]]:
    best = align(read_sequence(claim), [read_sequence(sentence) for sentence in sentences])[0]
    return [
        ("".join(token.text for token in one.said), "".join(token.text for token in one.held))
        for one in best.differences
        if one.anchored
    ]


def test_the_nearest_sentence_is_taken_and_what_differs_is_told() -> None:
    held = ("经理每晚不超过 650 元。", "总监每晚不超过 900 元。")
    assert differences("总监每晚不超过 650 元。", *held) == [("650 CNY", "900 CNY")]
    assert differences("总监每晚不超过九百元", *held) == []


def test_what_the_passage_goes_on_to_say_is_no_difference_but_a_word_right_before_may_be() -> None:
    assert differences("餐补每天 100 元", "餐补每天 100 元，无需发票。") == []
    assert differences("超过 100 元", "补助每天不超过 100 元") == [("", "天不")]


def test_a_negation_in_another_place_is_none() -> None:
    held = [read_sequence("员工不得将资料带出公司")]
    for claim, count in (("禁止员工将资料带出公司", 0), ("员工将资料带出公司", 1)):
        assert len(reversals(align(read_sequence(claim), held)[0].differences)) == count


def test_polarity() -> None:
    for said, held, reversed_ in [
        ("可以", "不得", True),
        ("禁止", "不得", False),
        ("至多", "不超过", False),
        ("at least", "not less than", False),
        ("over", "not more than", True),
        ("非常", "", False),
        ("", "not", True),
        ("是否", "", False),
        ("另行发布的详细规定", "不", False),
    ]:
        assert is_reversed(read_sequence(said), read_sequence(held)) is reversed_, (said, held)
