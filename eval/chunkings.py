"""Ways to chunk a document, side by side: stock ones and our own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from preprocessing.document import Chunk, Document
from preprocessing.prepare import ChunkingSettings, prepare
from retrieval.embed.base import Vectors

Encode = Callable[[Sequence[str]], Vectors]
Chunking = Callable[[Document, Encode, float], tuple[list[Chunk], Vectors]]
"""Takes a document, what encodes, and the similarity of unrelated text; returns chunks with unit vectors."""

STOCK = ("fixed 500", "recursive 800")
"""Rows of the table that ours are held against."""

_SEPARATORS = ["\n\n", "\n", "。", "！", "？", "；", ". ", "! ", "? ", "; ", "，", ", ", " ", ""]


def chunkings(settings: ChunkingSettings, other_threshold: float) -> Mapping[str, Chunking]:
    """Return the chunkings to compare, by name: stock ones, merging at two thresholds, and without the headings."""
    merges = [settings, settings.model_copy(update={"merge_threshold": other_threshold})]
    return {
        "fixed 500": fixed(500),
        "recursive 800": recursive(800),
        **{f"merge at {merge.merge_threshold:g}": merged(merge) for merge in merges},
        f"merge at {settings.merge_threshold:g}, no headings": without_headings(merged(settings)),
    }


def fixed(size: int) -> Chunking:
    """Cut the text every `size` characters."""

    def chunk(document: Document, encode: Encode, _unrelated: float) -> tuple[list[Chunk], Vectors]:
        text = text_of(document)
        return _encoded(document, [text[start : start + size] for start in range(0, len(text), size)], encode)

    return chunk


def recursive(size: int) -> Chunking:
    """Cut with LangChain's recursive splitter, given Chinese marks too, without overlap."""

    def chunk(document: Document, encode: Encode, _unrelated: float) -> tuple[list[Chunk], Vectors]:
        # Only this comparison needs the splitter.
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=0, separators=_SEPARATORS, keep_separator="end"
        )
        return _encoded(document, splitter.split_text(text_of(document)), encode)

    return chunk


def merged(settings: ChunkingSettings) -> Chunking:
    """Split by section and merge neighbours by meaning, as ingest does."""

    def chunk(document: Document, encode: Encode, unrelated: float) -> tuple[list[Chunk], Vectors]:
        return prepare(document, document.content_hash, encode, settings, unrelated)

    return chunk


def without_headings(chunking: Chunking) -> Chunking:
    """Make the same chunks, and search their text alone."""

    def chunk(document: Document, encode: Encode, unrelated: float) -> tuple[list[Chunk], Vectors]:
        chunks, _ = chunking(document, encode, unrelated)
        bare = [replace(one, title="", section=()) for one in chunks]
        return bare, encode([one.search_text for one in bare])

    return chunk


def text_of(document: Document) -> str:
    """Return the document as one Markdown-like text."""
    return "\n\n".join("#" * block.level + " " * bool(block.level) + block.text for block in document.blocks)


def _encoded(document: Document, texts: Sequence[str], encode: Encode) -> tuple[list[Chunk], Vectors]:
    blank = Chunk(
        chunk_id="",
        doc_id=document.doc_id,
        revision=document.content_hash,
        index=0,
        text="",
        section=(),
        page=None,
        source=document.source,
        title=document.title,
        doc_type=document.doc_type,
    )
    chunks = [
        replace(blank, chunk_id=f"{document.doc_id}-{index:04d}", index=index, text=text)
        for index, text in enumerate(text for text in texts if text.strip())
    ]
    return chunks, encode([chunk.search_text for chunk in chunks])
