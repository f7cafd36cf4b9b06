"""Text laid over pages to mark them, which belongs to no sentence on them."""

import re
from collections import Counter
from collections.abc import Sequence

from preprocessing.page_lines import Line, body_size

_MARK = re.compile(
    r"机密|秘密|绝密|内部|保密|草稿|草案|样本|样张|副本|作废|仅供|confidential|draft|sample|copy|watermark|void|internal",
    re.IGNORECASE,
)
_LEAST_PAGES = 3
_SHARE_SLANTED, _SHARE_LARGE = 0.5, 0.8
_LARGE = 1.8
_MOST_CHARACTERS = 40


def watermarks_of(pages: Sequence[Sequence[Line]]) -> list[set[Line]]:
    """Return for each page the lines that are watermarks.

    These are slanted lines that half of the pages repeat, or that say what watermarks say; and lines far larger than
    the text that nearly all of three or more pages repeat.
    """
    size = body_size([line for page in pages for line in page])
    on_pages = Counter(text for page in pages for text in {line.text for line in page})
    filled = sum(1 for page in pages if any(line.text for line in page))

    def is_watermark(line: Line) -> bool:
        if not line.text or len(line.text) > _MOST_CHARACTERS:
            return False
        share = on_pages[line.text] / filled
        if line.is_slanted:
            return _MARK.search(line.text) is not None or (filled > 1 and share >= _SHARE_SLANTED)
        return line.size >= _LARGE * size > 0 and on_pages[line.text] >= _LEAST_PAGES and share >= _SHARE_LARGE

    return [{line for line in page if is_watermark(line)} for page in pages]
