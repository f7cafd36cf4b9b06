"""Links in an answer: only those that stand in its passages, and never one that loads by itself."""

import re
from collections.abc import Iterable

_URL = r"(?:https?|ftp)://[^\s()\[\]<>\"'”’）】」，。；！？、]+|(?:javascript|data|file):[^\s)\]>]+"
_LINK = re.compile(
    rf"(?P<image>!?)\[(?P<text>[^\]\n]*)\]\(\s*(?P<target>[^)\n]*)\)|<?(?P<bare>{_URL})>?", re.IGNORECASE
)
_HTML = re.compile(
    r"<\s*/?\s*(?:img|a|iframe|script|link|object|embed|video|audio|form|svg|style)\b[^>]*>", re.IGNORECASE
)


def without_foreign_links(answer: str, passages: Iterable[str]) -> str:
    """Return the answer without addresses that no passage holds; of an image its text stays.

    A model that was talked into it could carry what was said out in an address, which a page may load unasked.
    """
    known = "\n".join(passages)

    def mend(link: re.Match[str]) -> str:
        if link["bare"]:
            url = link["bare"].rstrip(".,;:")
            return link[0] if url in known else link["bare"][len(url) :]
        target = link["target"].strip().partition(" ")[0].strip("<>")
        if link["image"] or not target or target not in known:
            return link["text"] if not re.fullmatch(r"[SsＳｓ]\s?\d+", link["text"].strip()) else f"[{link['text']}]"
        return link[0]

    return _HTML.sub("", _LINK.sub(mend, answer))
