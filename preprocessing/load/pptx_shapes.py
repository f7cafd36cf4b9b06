"""What the shapes of a slide say."""

from collections.abc import Iterator
from typing import Any

from preprocessing.document import Block
from preprocessing.grid import table_block

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM_IDS = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"


def table_rows(table: Any) -> Iterator[list[str]]:
    """Yield the texts of a table by row; a cell merged downwards repeats its text."""
    above: list[str] = []
    for row in table.rows:
        texts: list[str] = []
        for column, cell in enumerate(row.cells):
            is_below = cell.is_spanned and not cell._tc.hMerge
            texts.append(above[column] if is_below and column < len(above) else cell.text.replace("\v", "\n"))
        yield texts
        above = texts


def chart_blocks(chart: Any) -> Iterator[Block]:
    """Yield the title of a chart and its values as a table."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield from text_blocks(chart.chart_title.text_frame, is_list=False)
    for plot in chart.plots:
        series = list(plot.series)
        values = [[_number(value) for value in found.values] for found in series]
        rows = [[str(name), *column] for name, *column in zip(plot.categories, *values, strict=False)]
        yield from filter(None, [table_block([["", *(found.name or "" for found in series)], *rows])])


def _number(value: float | None) -> str:
    """Return a value of a chart without a needless decimal part."""
    return "" if value is None else f"{value:.10g}"


def diagram_blocks(shape: Any) -> Iterator[Block]:
    """Yield the texts of a SmartArt diagram, which lie in a part of their own."""
    from lxml import etree

    for found in shape._element.iter(_DIAGRAM_IDS):
        part = shape.part.related_part(found.get(_DIAGRAM_DATA))
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        paragraphs = etree.fromstring(part.blob, parser).iter(f"{_A}p")
        texts = ["".join(text.text or "" for text in paragraph.iter(f"{_A}t")).strip() for paragraph in paragraphs]
        items = [f"- {text}" for text in texts if text]
        if items:
            yield Block("list", "\n".join(items))


def text_blocks(frame: Any, is_list: bool) -> Iterator[Block]:
    """Yield the paragraphs of a frame, as a list when they are bullets or have depths."""
    paragraphs = [(found.level, " ".join(found.text.replace("\v", " ").split())) for found in frame.paragraphs]
    filled = [(level, text) for level, text in paragraphs if text]
    if len(filled) > 1 and (is_list or any(level for level, _ in filled)):
        yield Block("list", "\n".join(f"{'  ' * level}- {text}" for level, text in filled))
    elif filled:
        yield Block("paragraph", "\n".join(text for _, text in filled))
