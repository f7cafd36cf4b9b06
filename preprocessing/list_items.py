"""Lists in Markdown: each outermost item with what is nested in it."""

import re

_ITEM = re.compile(r"^(\s*)(?:[-*+•·●▪]|\d{1,3}[.)、）]|[（(][\d一二三四五六七八九十]+[）)])\s*")


def items_of(text: str) -> list[str]:
    """Return the outermost items of a list, each with what is nested in it."""
    lines = text.split("\n")
    depths = [len(found[1].expandtabs(4)) if (found := _ITEM.match(line)) else None for line in lines]
    outermost = min((depth for depth in depths if depth is not None), default=0)
    items: list[str] = []
    for line, depth in zip(lines, depths, strict=True):
        if items and (depth is None or depth > outermost):
            items[-1] += f"\n{line}"
        else:
            items.append(line)
    return [item for item in items if item.strip()]
