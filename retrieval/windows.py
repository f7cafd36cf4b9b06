"""Cut a text where a model's tokenizer counts too many tokens, instead of letting the model drop the tail."""

from typing import Any


def windows(text: str, tokenizer: Any, size: int, overlap: int = 0) -> list[str]:
    """Return the text in pieces of at most `size` tokens, each beginning `overlap` tokens before the last one ended.

    `tokenizer` is a fast Hugging Face tokenizer; a slow one knows no places in the text, and the text stays whole.
    """
    if not getattr(tokenizer, "is_fast", False):
        return [text]
    encoded = tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, padding=False, verbose=False
    )
    places: list[tuple[int, int]] = encoded["offset_mapping"]
    if len(places) <= size:
        return [text]
    starts = range(0, len(places) - overlap, max(size - overlap, 1))
    return [text[places[start][0] : places[min(start + size, len(places)) - 1][1]] for start in starts]
