"""Traditional Chinese becomes Simplified before it is compared, so that either script finds the other."""

import re
from functools import cache
from typing import Any

_HAN = re.compile(r"[\u3400-\u9fff]")


def simplified(text: str) -> str:
    """Return the text with Traditional characters and phrases as Simplified ones, all else unchanged."""
    if not _HAN.search(text):
        return text
    # Half a surrogate pair has no UTF-8 form.
    return str(_converter().convert(text.encode("utf-8", "replace").decode("utf-8")))


@cache
def _converter() -> Any:
    # Imported late, and made once: it reads its dictionaries.
    from opencc import OpenCC

    return OpenCC("t2s")
