from retrieval.upkeep.doctor import rarest, sample_by_kind
from tests.fakes import make_chunk

COMMON = "本办法由人力资源部负责解释。"


def test_phrases_are_of_one_language_alone() -> None:
    chunk = make_chunk("转正员工 VPN 账号 12 天内开通，见 ERR_4032；余额不足请充值。", doc_type="pdf")
    ((kind, (sample,)),) = sample_by_kind([chunk], 5).items()
    assert kind == ("zh", "pdf")
    assert sample.phrases == ("转正员工", "天内开通", "余额不足请充值")


def test_the_rarest_phrase_is_chosen() -> None:
    chunks = [make_chunk(f"{COMMON}{own}", own) for own in ("差旅报销须附发票。", "年假须提前申请。")]
    samples = sample_by_kind(chunks, 5)["zh", "md"]
    assert rarest(samples, chunks) == {"差旅报销须附发票。": "差旅报销须附发票", "年假须提前申请。": "年假须提前申请"}


def test_a_passage_without_a_sentence_is_asked_for_by_all_its_words() -> None:
    chunks = [make_chunk("| 甲 | 1 |\n| 乙 | 2 |", "zh"), make_chunk("A: 1\nB: 2", "en", doc_type="csv")]
    phrases = {kind: sample.phrases for kind, (sample,) in sample_by_kind(chunks, 1).items()}
    assert phrases == {("zh", "md"): ("甲 乙",), ("en", "csv"): ("A B",)}


def test_samples_are_few_and_the_same_each_time() -> None:
    chunks = [make_chunk(f"第{n}号文件规定了差旅标准。", f"c{n}") for n in range(300)]
    first = [sample.chunk.chunk_id for sample in sample_by_kind(chunks, 4)["zh", "md"]]
    again = [sample.chunk.chunk_id for sample in sample_by_kind(chunks[::-1], 4)["zh", "md"]]
    assert first == again
    assert len(set(first)) == 4
