"""`folio why-not`, `folio doctor`, filters and `--as-of` at the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.view.why_not import verdict_json, verdict_text
from retrieval.documents.schema import DocumentRecord
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import RetrievalSettings
from retrieval.upkeep.why_not import Placing, Stage, Verdict
from tests.agent.cli.conftest import Done, Folio
from tests.fakes import CharacterEmbedder, copied

DOCUMENTS = {
    "leave.md": "# 休假\n\n## 年假\n\n员工年假为十二天。\n",
    "travel_v1.md": "# 差旅\n\n住宿费每晚三百元。\n",
    "travel_v2.md": "---\nsupersedes: travel_v1.md\neffective_from: 2023-01-01\n---\n# 差旅\n\n住宿费每晚四百元。\n",
    "pay.md": "---\nvisible_to: [hr]\n---\n# 薪酬\n\n总监年薪另行规定。\n",
    "vpn.md": "# Remote access\n\nVPN sessions are closed after a while.\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("folio") / "home"
    settings = RetrievalSettings(home=home)
    with KnowledgeBase.open(settings, embedder=CharacterEmbedder()) as base:
        for name, text in DOCUMENTS.items():
            base.ingest_data(text.encode(), name)
        base.ingest_data(b"", "empty.md")
    return home


@pytest.fixture(autouse=True)
def _at_home(home: Path, tmp_path: Path) -> None:
    copied(home, tmp_path / "home")


@pytest.mark.parametrize(
    ("arguments", "stage", "message"),
    [
        (["vpn.md", "VPN sessions"], "found", "vpn.md is found: it is hit 1."),
        (["nothing.md", "年假"], "not_ingested", "知识库里没有 nothing.md"),
        (["pay.md", "年薪"], "not_visible", "pay.md 只对这些组可见：hr。用 --viewer hr 可以搜到。"),
        (["travel_v1.md", "住宿费", "--as-of", "2022-12-31"], "found", "travel_v1.md 找到了，是第 1 条结果。"),
        (
            ["leave.md", "leave", "--filter", "page>=3"],
            "filter",
            "does not meet the filter page>=3: it has no such value.",
        ),
        (["leave.md", "VPN sessions", "--k", "1"], "fusion", "ranks too low after fusion"),
    ],
)
def test_why_not_names_the_stage(folio: Folio, arguments: list[str], stage: str, message: str) -> None:
    done = folio("why-not", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    verdict = done.json()
    assert verdict["stage"] == stage
    assert message in verdict["message"]
    assert folio("why-not", *arguments).out == verdict["message"] + "\n"


@pytest.mark.parametrize("json_", [["--json"], []])
@pytest.mark.parametrize("question", ["年薪", "pay"])
def test_a_viewer_without_the_right_reads_what_is_read_of_no_document(
    folio: Folio, json_: list[str], question: str
) -> None:
    hidden = folio("why-not", "pay.md", question, "--viewer", "it", *json_)
    unknown = folio("why-not", "bay.md", question, "--viewer", "it", *json_)
    failed = folio("why-not", "empty.md", question, "--viewer", "it", *json_)
    assert hidden.out == unknown.out.replace("bay.md", "pay.md") == failed.out.replace("empty.md", "pay.md")
    assert "hr" not in hidden.out
    assert folio("why-not", "pay.md", "年薪", "--viewer", "hr", "--json").json()["stage"] == "found"


RECORD = DocumentRecord("d1", "r1", "a.md", "A", "md", None, None, 1)
SHARES_NOTHING, BELOW = Placing(None, None, 3, 0.5), Placing(25, 0.25, 20, 0.5)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("stage", Stage.__args__)  # type: ignore[attr-defined]
def test_every_stage_has_words_and_a_form(language: Any, stage: Any) -> None:
    placings = {"vector": BELOW, "keyword": Placing(None, 0.1, 0, None), "fused": BELOW, "rerank": BELOW}
    verdict = Verdict(stage, "a.md", RECORD, 2, placings, "b.md", "page>3", ("9",), "no text")  # type: ignore[arg-type]
    text = verdict_text(verdict, language)
    assert "a.md" in text
    assert (max(text) >= "\u4e00") == (language == "zh")
    form = json.loads(json.dumps(verdict_json(verdict, "年假", language)))
    assert (form["stage"], form["source"], form["message"]) == (stage, "a.md", text)
    assert form["legs"]["vector"] == {"rank": 25, "score": 0.25, "last_rank": 20, "last_score": 0.5}


def test_doctor_is_content_with_a_healthy_base(folio: Folio) -> None:
    done = folio("doctor")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "documents 5; chunks: catalogue 5, store 5, keyword 5",
        "keyword  en md    finds 1 of 1",
        "vector   en md    finds 1 of 1",
        "keyword  zh md    finds 3 of 3",
        "vector   zh md    finds 3 of 3",
        "every leg is well",
    ]
    form = folio("doctor", "--json").json()
    assert (form["healthy"], form["problems"]) == (True, [])
    assert form["probes"][0] == {"leg": "keyword", "language": "en", "doc_type": "md", "asked": 1, "found": 1}


def test_doctor_names_a_dead_leg_and_fails(folio: Folio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "retrieval.store.keywords.keywords", lambda text: text.encode("ascii", "ignore").decode().split()
    )
    done = folio("doctor")
    assert done.code == 1
    assert done.out.splitlines()[-1] == "DEAD     keyword zh md: it finds 0 of 3 passages by their own text"
    form = folio("doctor", "--json").json()
    assert not form["healthy"]
    assert [(problem["leg"], problem["language"]) for problem in form["problems"]] == [("keyword", "zh")]


def sources(done: Done) -> set[str]:
    return {hit["source"] for hit in done.json()["hits"]}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--as-of", "2022年12月31日"], {"travel_v1.md"}),
        (["--as-of", "2023-01-01"], {"travel_v2.md"}),
        (["--filter", "source=travel_v1.md"], {"travel_v1.md"}),
        (["--filter", "effective_from>=2023", "--filter", "effective_from<2024"], {"travel_v2.md"}),
    ],
)
def test_search_takes_versions_ranges_and_beginnings(folio: Folio, arguments: list[str], expected: set[str]) -> None:
    travel = {"travel_v1.md", "travel_v2.md"}
    assert sources(folio("search", "住宿费", *arguments, "--json")) & travel == expected


def test_a_hit_names_what_took_its_place_and_its_copies(folio: Folio, tmp_path: Path) -> None:
    old = ["search", "住宿费", "--filter", "source=travel_v1.md"]
    (hit,) = folio(*old, "--json").json()["hits"]
    assert hit["superseded_by"] == "travel_v2.md"
    assert "superseded by travel_v2.md" in folio(*old).out
    (tmp_path / "vpn_again.md").write_text(DOCUMENTS["vpn.md"], encoding="utf-8")
    assert folio("ingest", "vpn_again.md").code == 0
    (hit,) = [hit for hit in folio("search", "VPN", "--json").json()["hits"] if hit["source"] == "vpn.md"]
    assert hit["also_in"] == ["vpn_again.md"]
    assert "the same in vpn_again.md" in folio("search", "VPN").out
