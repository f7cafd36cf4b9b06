"""Models of a few hundred numbers, written to a folder as a hub would hold them."""

from pathlib import Path
from typing import Any

LIMIT = 64
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *"年假试用期员工每满一十天津贴是多少三百元背景说明。，:",
    "query",
    "passage",
]


def save_model(folder: Path, architecture: str, **config: Any) -> str:
    """Write an untrained BERT of this architecture with a word list of its own; return the folder's name."""
    import torch
    import transformers

    torch.manual_seed(0)
    words = list(dict.fromkeys(WORDS))
    folder.mkdir()
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    transformers.BertTokenizerFast(
        vocab={word: place for place, word in enumerate(words)}, model_max_length=LIMIT
    ).save_pretrained(folder)
    sizes = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=LIMIT,
        **config,
    )
    getattr(transformers, architecture)(sizes).save_pretrained(folder)
    return str(folder)
