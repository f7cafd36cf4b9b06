"""Token interaction by hand: an encoder whose states are known."""

from collections.abc import Sequence

import numpy as np
import pytest

from retrieval.embed.bundled import BundledEmbedder
from retrieval.hit import Hit, LegScore
from retrieval.models.encoder import TokenIds
from retrieval.rerank.token_interaction import Floats, TokenReranker, _Statistics
from tests.fakes import make_chunk

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class LetterEncoder:
    """A token is a letter, any but the Latin ones is z; its state has length 2 and its own direction."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def token_states(self, texts: Sequence[str], *, query: bool) -> list[tuple[TokenIds, Floats]]:
        self.read += [] if query else texts
        ids = [np.array([_letter(one) for one in text.lower() if one.isalpha()], dtype=np.int64) for text in texts]
        return [(some, 2 * np.eye(len(LETTERS), dtype=np.float32)[some]) for some in ids]

    def information(self) -> Floats:
        # Four are taken off: a tells 6, b to m tell 2, the rest nothing.
        return np.array([10.0] + [6.0] * 12 + [3.0] * 13, dtype=np.float32)


def _letter(character: str) -> int:
    return LETTERS.index(character) if character in LETTERS else len(LETTERS) - 1


class PlainReranker(TokenReranker):
    """Without what is taken out of every state, so that cosines are 0 or 1."""

    def __init__(self, encoder: LetterEncoder, projection: Floats | None = None) -> None:
        super().__init__(encoder, projection=None)
        self._known = _Statistics(encoder.information(), np.zeros(len(LETTERS), dtype=np.float32), projection)


def hits(*texts: str) -> list[Hit]:
    return [
        Hit(make_chunk(text, f"c{number}"), 1 / number, {"fused": LegScore(number, 1 / number)})
        for number, text in enumerate(texts, start=1)
    ]


def order(found: Sequence[Hit]) -> list[str]:
    return [hit.chunk.text for hit in found]


def test_a_projection_says_which_directions_count() -> None:
    # a is seen as b, so that a question for a finds b's passage as well as its own.
    projection = np.eye(len(LETTERS), dtype=np.float32)
    projection[0] = projection[1]
    assert PlainReranker(LetterEncoder(), projection).scores("a", ["a", "b", "c"]) == pytest.approx([1.0, 1.0, 0.0])


def test_a_score_is_the_weighted_mean_of_each_tokens_best_cosine() -> None:
    reranker = PlainReranker(LetterEncoder())
    # a weighs 6, b and c weigh 2 each, z nothing.
    assert reranker.scores("abcz", ["a", "bc", "zz", "cab", ""]) == pytest.approx([0.6, 0.4, 0.0, 1.0, 0.0])


def test_a_question_without_tokens_leaves_the_order() -> None:
    found = PlainReranker(LetterEncoder()).rerank("？！", hits("b", "a"))
    assert order(found) == ["b", "a"]


def test_hits_are_new_best_first_with_their_legs() -> None:
    old = hits("bc", "cab")
    found = PlainReranker(LetterEncoder()).rerank("abc", old)
    assert order(found) == ["cab", "bc"]
    assert found[0].legs == {"fused": LegScore(2, 0.5), "rerank": LegScore(1, 1.0)}
    assert [hit.score for hit in found] == pytest.approx([1.0, 0.4])
    assert "rerank" not in old[0].legs
    assert PlainReranker(LetterEncoder()).rerank("abc", []) == []


def test_a_code_must_be_the_same_to_the_letter() -> None:
    texts = ["error code abc abc", "abc A0428", "z A0427"]
    assert order(PlainReranker(LetterEncoder()).rerank("abc a0427", hits(*texts)))[0] == "z A0427"
    assert order(PlainReranker(LetterEncoder()).rerank("abc", hits(*texts)))[0] != "z A0427"


def test_matches_scattered_over_a_long_passage_count_less_than_one_place() -> None:
    far = "a" + "x" * 400 + "b"
    near = "x" * 400 + "ab"
    far_score, near_score = PlainReranker(LetterEncoder()).scores("ab", [far, near])
    assert near_score == pytest.approx(1.0)
    assert far_score == pytest.approx(0.75)


def test_passages_are_read_once() -> None:
    encoder = LetterEncoder()
    reranker = PlainReranker(encoder)
    reranker.rerank("a", hits("ab", "cd"))
    reranker.rerank("b", hits("cd", "ef"))
    assert encoder.read == ["ab", "cd", "ef"]


@pytest.mark.parametrize(
    ("question", "best"),
    [("上海住宿每晚最多多少钱？", 1), ("How many days of annual leave?", 3), ("誰審批採購？", 2)],
)
def test_the_bundled_encoder_tells_the_answer_from_its_neighbours(question: str, best: int) -> None:
    texts = ["北京住宿标准每晚不超过700元。", "上海住宿标准每晚不超过600元。", "采购由部门经理审批。", "年假五天。"]
    found = TokenReranker(BundledEmbedder()).rerank(question, hits(*texts))
    assert found[0].chunk.text == texts[best]
