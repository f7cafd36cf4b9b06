"""Text of HTML elements as a browser would show it."""

import re
from typing import Any

BLOCKS = frozenset(
    "p div section article main header footer aside blockquote figure figcaption address details summary fieldset "
    "legend form center body html table caption thead tbody tfoot tr td th ul ol li dl dt dd pre h1 h2 h3 h4 h5 h6 "
    "hr hgroup search menu".split()
)
_POWER = re.compile(r"^[-+−]?\d+$")


def inline_text(element: Any) -> str:
    """Return the text of an element, a line for each block in it and each line break."""
    return lines("".join([spaces(element.text), *(inline(child) + spaces(child.tail) for child in element)]))


def inline(element: Any) -> str:
    """Return the text of an element inside a line, with its line breaks and those of blocks in it."""
    if not isinstance(element.tag, str):
        return ""
    if element.tag == "br":
        return "\n"
    if element.tag == "img":
        return str(element.get("alt") or "")
    if element.tag in ("annotation", "annotation-xml"):
        return ""  # a formula said again for programs
    inner = "".join([spaces(element.text), *(inline(child) + spaces(child.tail) for child in element)])
    if element.tag == "sup" and _POWER.match(inner.strip()):
        return f"^{inner.strip()}"  # 10⁶ must not read as 106
    if element.tag in BLOCKS:
        return f"\n{inner}\n"
    return f"{inner} " if element.tag in ("td", "th") else inner


def spaces(text: str | None) -> str:
    """Return the text with each run of white space as one blank."""
    return re.sub(r"[ \t\r\n\f]+", " ", text or "")


def lines(text: str) -> str:
    """Return the lines that are not blank, trimmed."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
