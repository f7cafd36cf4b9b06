"""Slides: each a page with its title as heading, shapes in reading order, tables, charts and notes."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pptx
from lxml import etree
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from preprocessing.document import Block, Parsed
from preprocessing.errors import LoadError
from preprocessing.load.content import check_package, modified_at
from preprocessing.load.metadata import sensible_title
from preprocessing.tables import table_block

MAX_SLIDES = 5000
_SAME_ROW = 0.5
"""Share of the lower shape's height by which two shapes must overlap to stand side by side."""
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM_IDS = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"


def read_pptx(data: bytes, _password: str | None = None) -> Parsed:
    """Read the shown slides of a presentation."""
    check_package(data)
    try:
        presentation = pptx.Presentation(io.BytesIO(data))
        slides = [(number, slide) for number, slide in enumerate(presentation.slides, start=1)]
    except Exception as error:
        raise LoadError(f"not a readable PowerPoint file: {' '.join(str(error).split())[:100]}") from error
    if len(slides) > MAX_SLIDES:
        raise LoadError(f"has {len(slides)} slides, the limit is {MAX_SLIDES}; split it")
    shown = [(number, slide) for number, slide in slides if slide.element.get("show") != "0"]
    hidden = [number for number, slide in slides if slide.element.get("show") == "0"]
    read = {number: list(_slide_blocks(slide, number)) for number, slide in shown}
    blank = [number for number, blocks in read.items() if not blocks]
    told = [f"hidden slides left out: {', '.join(map(str, hidden))}"] if hidden else []
    told += [f"{len(blank)} of {len(slides)} slides without text: {', '.join(map(str, blank))}"] if blank else []
    blocks = tuple(block for found in read.values() for block in found)
    first_title = next((block.text for block in blocks if block.kind == "heading"), None)
    properties = presentation.core_properties
    return Parsed(
        blocks=blocks,
        property_title=sensible_title(properties.title) or first_title,
        updated_at=modified_at(properties, presentation.part.package._rels.values()),
        warnings=tuple(told),
    )


def _slide_blocks(slide: Any, number: int) -> Iterator[Block]:
    title = slide.shapes.title
    if title is not None and (text := " ".join(title.text_frame.text.split())):
        # The title of the deck stands above the others.
        yield Block("heading", text, 1 if number == 1 else 2, number)
    for shape in _in_reading_order(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            yield from (replace(block, page=number) for block in _shape_blocks(shape))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        if notes:
            yield Block("paragraph", notes.replace("\v", "\n"), page=number)


def _in_reading_order(shapes: Iterable[Any]) -> list[Any]:
    """Return shapes row by row, each row from left to right."""
    rows: list[list[Any]] = []
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        above = rows[-1][0] if rows else None
        if above is not None and _overlap(above, shape) > _SAME_ROW * min(above.height or 1, shape.height or 1):
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return [shape for row in rows for shape in sorted(row, key=lambda shape: shape.left or 0)]


def _overlap(above: Any, below: Any) -> int:
    ends = [(shape.top or 0) + (shape.height or 0) for shape in (above, below)]
    return int(min(ends) - max(above.top or 0, below.top or 0))


def _shape_blocks(shape: Any) -> Iterator[Block]:
    if shape.is_placeholder and shape.placeholder_format.type in (
        PP_PLACEHOLDER.FOOTER,
        PP_PLACEHOLDER.SLIDE_NUMBER,
        PP_PLACEHOLDER.DATE,
        PP_PLACEHOLDER.HEADER,
    ):
        return
    if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
        for member in _in_reading_order(shape.shapes):
            yield from _shape_blocks(member)
    elif shape.has_text_frame:
        is_list = shape.is_placeholder and shape.placeholder_format.type in (PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT)
        yield from text_blocks(shape.text_frame, is_list)
    elif getattr(shape, "has_table", False):
        yield from filter(None, [table_block(list(table_rows(shape.table)))])
    elif getattr(shape, "has_chart", False):
        yield from chart_blocks(shape.chart)
    else:
        yield from diagram_blocks(shape)


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
