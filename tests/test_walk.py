"""One document to one cited answer, stage by stage, with what each stage gives."""

from pathlib import Path

import numpy as np

from agent.answer import check_answer, cite
from agent.assistant import Assistant
from agent.evidence import EvidenceLedger, format_passage
from agent.sessions.store import SessionStore
from agent.settings import Settings
from preprocessing.load import load
from preprocessing.prepare import ChunkingSettings, prepare
from preprocessing.sections import sections
from preprocessing.split import split
from retrieval.filters import Filter
from retrieval.knowledge_base import KnowledgeBase
from retrieval.search import Engine, recall, search
from retrieval.store.edge import EdgeStore
from tests.fakes import CharacterEmbedder, ScriptedChatModel

TRAVEL = """\
---
title: 差旅管理制度
version: V2
department: 财务部
---
# 差旅管理制度

## 住宿

普通员工每晚不超过 500 元。经理每晚不超过 650 元。

## 餐补

每人每天 100 元，无需发票。
"""


def test_walk(tmp_path: Path) -> None:
    path = tmp_path / "travel.md"
    path.write_text(TRAVEL, encoding="utf-8")

    # A file becomes a document of blocks.
    document = load(path, source="travel.md")
    assert (document.title, document.version) == ("差旅管理制度", "V2")
    assert document.metadata == {"department": "财务部", "encoding": "utf-8"}
    assert [block.kind for block in document.blocks] == ["heading", "heading", "paragraph", "heading", "paragraph"]

    # Its sections become pieces, and pieces become chunks with one vector each.
    found = [section for section in sections(document.blocks) if any(b.kind != "heading" for b in section.blocks)]
    assert [section.path for section in found] == [("住宿",), ("餐补",)]
    assert [piece.text for piece in split(found[1])] == ["每人每天 100 元，无需发票。"]
    embedder = CharacterEmbedder()
    chunks, vectors = prepare(document, "r1", embedder.embed_passages, ChunkingSettings(), unrelated=0.2)
    assert [chunk.heading for chunk in chunks] == ["差旅管理制度 > 住宿", "差旅管理制度 > 餐补"]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)

    # Chunks go into the store and the keyword index; a question becomes hits of each leg, fused.
    store = EdgeStore.open(tmp_path / "store", embedder.dimension)
    store.upsert(chunks, vectors)
    engine = Engine(embedder, store)
    legs = recall("餐补每天多少？", engine, Filter(), mode="hybrid", candidates=20)
    assert legs["keyword"][0].chunk.section == ("餐补",)
    (best, *_) = search("餐补每天多少？", engine, Filter())
    assert best.chunk.text == "每人每天 100 元，无需发票。"
    assert best.legs["fused"].rank == 1
    store.close()

    # Hits become evidence under a label, and an answer may rely on nothing else.
    ledger = EvidenceLedger()
    (evidence,) = ledger.record("餐补", [best])
    assert format_passage(evidence) == "[S1] 差旅管理制度 > 餐补 (travel.md, version V2)\n| 每人每天 100 元，无需发票。"
    assert check_answer("餐补每天 100 元。[S1]", ledger).text == "餐补每天 100 元。[S1]"
    assert check_answer("餐补每天 120 元。[S1]", ledger).text == ""
    assert cite("S1", "餐补每天 100 元。[S1]", ledger).quote == "每人每天 100 元，无需发票。"


def test_walk_through_the_front_door(tmp_path: Path) -> None:
    path = tmp_path / "travel.md"
    path.write_text(TRAVEL, encoding="utf-8")
    settings = Settings(home=tmp_path / "home", chat_model="scripted", openai_base_url="http://127.0.0.1:9/v1")
    model = ScriptedChatModel(
        replies=[
            "Thought: 直接搜索\nAction: knowledge_search\nAction Input: 餐补每天多少",
            "Thought: 够了\nFinal Answer: 餐补每人每天 100 元。[S1]",
        ]
    )
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as knowledge_base:
        report = knowledge_base.ingest([path])
        assert (report.documents, report.chunks, report.failed) == (1, 2, [])
        sessions = SessionStore.in_folder(settings.home)
        answer = Assistant(settings, knowledge_base, model, sessions).ask("餐补每天多少？")
        sessions.close()
    assert (answer.answer, answer.refused) == ("餐补每人每天 100 元。[S1]", False)
    (citation,) = answer.citations
    assert (citation.source, citation.section) == ("travel.md", "餐补")
    assert citation.quote == "每人每天 100 元，无需发票。"
    assert (settings.home / "traces" / f"{answer.trace_id}.json").is_file()
