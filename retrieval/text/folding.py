"""Forms of writing that say the same: width and case of letters, and compatibility characters."""

import unicodedata


def folded(text: str) -> str:
    """Return the text for comparing: compatibility forms as plain ones (NFKC), without case."""
    return unicodedata.normalize("NFKC", text).casefold()
