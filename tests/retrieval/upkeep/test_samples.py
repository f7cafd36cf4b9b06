from retrieval.upkeep.doctor import sample_by_kind
from tests.fakes import make_chunk


def test_phrases_are_of_one_language_alone() -> None:
    chunk = make_chunk("转正员工 VPN 账号 12 天内开通，见 ERR_4032；余额不足请充值。", doc_type="pdf")
    ((kind, (sample,)),) = sample_by_kind([chunk], 5).items()
    assert kind == ("zh", "pdf")
    assert sample.phrases == ("转正员工", "天内开通", "余额不足请充值")


def test_a_passage_without_a_sentence_is_asked_for_by_all_its_words() -> None:
    chunks = [make_chunk("| 甲 | 1 |\n| 乙 | 2 |", "zh"), make_chunk("A: 1\nB: 2", "en", doc_type="csv")]
    phrases = {kind: sample.phrases for kind, (sample,) in sample_by_kind(chunks, 1).items()}
    assert phrases == {("zh", "md"): ("甲 乙",), ("en", "csv"): ("A B",)}
