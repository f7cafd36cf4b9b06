from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.documents.catalogue import UnknownDocument
from retrieval.documents.outline import SectionText, UnknownSection, document_named, sections_named, sections_of
from retrieval.documents.schema import DocumentRecord
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from tests.fakes import CharacterEmbedder, make_chunk

RULES = (
    "# 休假制度\n\n总则一句。\n\n## 年假\n\n年假 12 天。\n\n### 例外\n\n试用期 5 天。\n\n"
    "## 病假\n\n病假 80%。\n\n### 例外\n\n工伤全薪。\n"
)


def record(source: str, doc_id: str = "d1") -> DocumentRecord:
    return DocumentRecord(doc_id, "r", source, "T", "md", None, None, 1)


RECORDS = [record("hr/休假.md", "a1"), record("it/VPN Guide.md", "b2"), record("it/faq.md", "c3"), record("hr/faq.md")]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a1", "hr/休假.md"),
        (" b2 ", "it/VPN Guide.md"),
        ("hr/休假.md", "hr/休假.md"),
        ("休假.md", "hr/休假.md"),
        ("ＶＰＮ　guide.MD", "it/VPN Guide.md"),
        ("hr/faq.md", "hr/faq.md"),
    ],
)
def test_a_document_is_found_by_id_source_or_file_name(name: str, source: str) -> None:
    assert document_named(name, RECORDS).source == source


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("faq.md", "several documents are called 'faq.md'; name one whole: it/faq.md, hr/faq.md"),
        ("vpn", "there is no document 'vpn'; did you mean it/VPN Guide.md?"),
        ("hr/休價.md", "there is no document 'hr/休價.md'; did you mean hr/休假.md or hr/faq.md?"),
        ("zzzz", "there is no document 'zzzz'; there are hr/休假.md, it/VPN Guide.md, it/faq.md, …"),
    ],
)
def test_an_unknown_document_names_what_may_be_meant(name: str, message: str) -> None:
    with pytest.raises(UnknownDocument) as raised:
        document_named(name, RECORDS)
    assert str(raised.value) == message


def test_neighbouring_chunks_of_one_section_are_one_text() -> None:
    chunks = [
        make_chunk("前言", "1"),
        make_chunk("一", "2", section=("年假",), page=2),
        make_chunk("二", "3", section=("年假",), page=3),
        make_chunk("三", "4", section=("病假",), page=3),
        make_chunk("四", "5", section=("年假",), page=4),
    ]
    assert sections_of(chunks) == [
        SectionText((), None, "前言"),
        SectionText(("年假",), 2, "一\n\n二"),
        SectionText(("病假",), 3, "三"),
        SectionText(("年假",), 4, "四"),
    ]
    assert sections_of([]) == []


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    settings = RetrievalSettings(home=tmp_path_factory.mktemp("outline"))
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as opened:
        opened.ingest_data(RULES.encode(), "rules.md")
        opened.ingest_data(b"---\nvisible_to: [board]\n---\n# Board\n\nSecret.\n", "board.md")
        opened.ingest_data(RULES.encode(), "copy.md")
        yield opened


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("病假", ["病假 80%。", "工伤全薪。"]),
        ("病假 > 例外", ["工伤全薪。"]),
        ("休假制度›病假›例外", ["工伤全薪。"]),
        ("例外", ["试用期 5 天。", "工伤全薪。"]),
        ("休假制度", ["总则一句。", "年假 12 天。", "试用期 5 天。", "病假 80%。", "工伤全薪。"]),
        # A part of only one heading.
        ("病", ["病假 80%。", "工伤全薪。"]),
    ],
)
def test_a_section_is_read_with_all_beneath(base: KnowledgeBase, name: str, texts: list[str]) -> None:
    record, chunks = base.read("rules.md")
    assert [section.text for section in sections_named(name, record.title, sections_of(chunks))] == texts


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("假", "did you mean 休假制度 or 年假 or 年假 > 例外?"),
        ("年价 > 例外", "did you mean 年假 > 例外 or 病假 > 例外?"),
        ("no such", "there are 休假制度, 年假, 年假 > 例外, …"),
    ],
)
def test_an_unknown_section_names_the_nearest(base: KnowledgeBase, name: str, hint: str) -> None:
    record, chunks = base.read("rules.md")
    with pytest.raises(UnknownSection) as raised:
        sections_named(name, record.title, sections_of(chunks))
    assert str(raised.value) == f"there is no section {name!r} in '休假制度'; {hint}"


def test_a_changed_document_is_read_as_it_is_now(base: KnowledgeBase, tmp_path: Path) -> None:
    base.ingest_data("# 说明\n\n旧。\n".encode(), "note.md")
    base.ingest_data("# 说明\n\n新。\n".encode(), "note.md")
    assert [chunk.text for chunk in base.read("note.md")[1]] == ["新。"]
    base.delete("note.md")
    with pytest.raises(UnknownDocument):
        base.read("note.md")
