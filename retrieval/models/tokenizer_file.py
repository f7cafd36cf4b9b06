"""The tokenizer of the encoder in the form that the `tokenizers` library reads."""

from collections.abc import Sequence
from typing import Any

from retrieval.models.vocabulary import SPECIAL
from retrieval.models.weights import Piece

_NEVER = -100.0
"""Score of a special piece: a text that happens to hold `</s>` must not read as the end of itself."""
_STAND_IN = "\ue000"


def build_tokenizer(pieces: Sequence[Piece]) -> Any:
    """Return the `tokenizers.Tokenizer`: characters normalised, spaces marked, then the unigram model.

    SentencePiece's `nmt_nfkc` is Nmt and NFKC but for the full-width tilde, which stays as it is.
    """
    # Imported late: only a build needs it here.
    from tokenizers import Regex, Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.normalizers import NFKC, Nmt, Replace, Sequence, Strip
    from tokenizers.pre_tokenizers import Metaspace
    from tokenizers.processors import TemplateProcessing

    specials = len(SPECIAL)
    # Six decimals are what a float32 of this size holds.
    scored = [(text, _NEVER if at < specials else round(score, 6)) for at, (text, score) in enumerate(pieces)]
    tokenizer = Tokenizer(Unigram(scored, unk_id=SPECIAL.index("<unk>")))
    tokenizer.normalizer = Sequence(
        [
            Replace("～", _STAND_IN),
            Nmt(),
            NFKC(),
            Replace(_STAND_IN, "～"),
            Replace(Regex(" {2,}"), " "),
            Strip(),
        ]
    )
    tokenizer.pre_tokenizer = Metaspace(prepend_scheme="always", split=True)
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", SPECIAL.index("<s>")), ("</s>", SPECIAL.index("</s>"))],
    )
    return tokenizer
