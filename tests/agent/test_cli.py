import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter

import agent.cli.documents
import agent.cli.ingest
import agent.cli.watch
import retrieval.knowledge_base
from agent import cli
from agent.cli.options import print_json
from agent.settings import Settings
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.chat_server import ChatServer, Raw
from tests.agent.conftest import LEAVE, VPN
from tests.fakes import CharacterEmbedder

ROOT = Path(__file__).parents[2]
KEY = "sk-very-secret-0123456789"
DOCUMENT = {"doc_id", "source", "title", "doc_type", "version", "updated_at", "chunks"}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return the one JSON value that standard output must be."""
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Folio = Callable[..., Done]


@pytest.fixture
def folio(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Folio:
    """Return the command, run in this process on a home of its own with a predictable embedder."""
    for module in (retrieval.knowledge_base, agent.ingest, agent.extract, agent.watch):
        monkeypatch.setattr(module, "open_embedder", lambda _model: CharacterEmbedder())
    monkeypatch.setenv("FOLIO_HOME", str(tmp_path / "home"))

    def run(*arguments: object, piped: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["folio", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped), encoding="utf-8"))
        with pytest.raises(SystemExit) as exited:
            cli.main()
        captured = capsys.readouterr()
        return Done(int(exited.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Return a folder of two documents."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "leave.md").write_text(LEAVE, encoding="utf-8")
    (folder / "vpn_en.md").write_text(VPN, encoding="utf-8")
    return folder


@pytest.fixture
def ready(folio: Folio, docs: Path) -> Folio:
    """Return the command with both documents in."""
    assert folio("ingest", docs).code == 0
    return folio


def is_one_line(done: Done) -> bool:
    """Say whether the command ended as an error that a person can mend must end."""
    return done.code == 2 and done.out == "" and done.err.startswith("folio: ") and done.err.count("\n") == 1


# ingest


def test_ingest(folio: Folio, docs: Path) -> None:
    first = folio("ingest", docs, "--json")
    assert first.code == 0
    assert first.json() == {"documents": 2, "chunks": 3, "unchanged": 0, "updated": 0, "failed": []}

    (docs / "vpn_en.md").write_text(VPN + "\nIt needs a token.\n", encoding="utf-8")
    again = folio("ingest", docs / "leave.md", docs / "vpn_en.md", "--json").json()
    assert (again["documents"], again["unchanged"], again["updated"], again["failed"]) == (2, 1, 1, [])

    told = folio("ingest", docs)
    assert (told.code, told.err) == (0, "")
    assert told.out == f"2 documents, {again['chunks']} chunks (2 unchanged, 0 updated, 0 failed)\n"


def test_ingest_with_metadata(folio: Folio, docs: Path) -> None:
    assert folio("ingest", docs / "leave.md", "--meta", "department=人事", "--meta", "department=法务").code == 0
    assert folio("ingest", docs / "vpn_en.md", "--meta", "department=IT").code == 0
    for department, names in (("人事", {"leave.md"}), ("法务", {"leave.md"}), ("IT", {"vpn_en.md"}), ("x", set())):
        hits = folio("search", "VPN 年假", "--filter", f"department={department}", "--json").json()["hits"]
        assert {Path(hit["source"]).name for hit in hits} == names


def blank_pdf(path: Path) -> None:
    writer = PdfWriter()
    writer.add_blank_page(width=72, height=72)
    writer.write(path)


BAD_FILES: dict[str, Callable[[Path], object]] = {
    "missing.md": lambda _path: None,
    "empty.md": lambda path: path.touch(),
    "blank.txt": lambda path: path.write_text(" \n\u3000\n", encoding="utf-8"),
    "sheet.xyz": lambda path: path.write_text("text", encoding="utf-8"),
    "broken.pdf": lambda path: path.write_bytes(b"%PDF-1.7\nnothing more"),
    "scan.pdf": blank_pdf,
    "broken.docx": lambda path: path.write_bytes(b"PK\x03\x04 no archive"),
    "binary.txt": lambda path: path.write_bytes(bytes(range(256)) * 8),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_named_and_the_others_are_in(ready: Folio, tmp_path: Path, name: str) -> None:
    BAD_FILES[name](tmp_path / name)
    (tmp_path / "good.md").write_text("# 报销\n\n发票须在 30 天内提交。\n", encoding="utf-8")

    done = ready("ingest", tmp_path / name, tmp_path / "good.md", "--json")

    assert (done.code, done.err) == (1, "")
    report = done.json()
    assert (report["documents"], report["chunks"]) == (1, 1)
    (failed,) = report["failed"]
    assert set(failed) == {"source", "error"}
    assert Path(failed["source"]).name == name
    assert failed["error"]
    assert "\n" not in failed["error"]
    assert {Path(record["source"]).name for record in ready("documents", "list", "--json").json()} == {
        "leave.md",
        "vpn_en.md",
        "good.md",
    }
    told = ready("ingest", tmp_path / name)
    assert told.code == 1
    assert told.err == f"failed   {failed['source']}: {failed['error']}\n"
    assert told.out == "0 documents, 0 chunks (0 unchanged, 0 updated, 1 failed)\n"


def test_text_in_a_chinese_encoding_is_read(folio: Folio, tmp_path: Path) -> None:
    path = tmp_path / "gbk.txt"
    path.write_bytes("转正员工年假为十二天，须提前三个工作日提交申请，由部门经理审批后生效。".encode("gbk"))
    assert folio("ingest", path).code == 0
    assert "十二天" in folio("search", "年假", "--json").json()["hits"][0]["text"]


def test_standard_input_is_a_document(folio: Folio) -> None:
    text = "# 报销\n\n发票须在 30 天内提交。\n"
    assert folio(
        "ingest", "-", "--name", "notes.md", "--meta", "department=hr", "--json", piped=text.encode()
    ).json() == {
        "documents": 1,
        "chunks": 1,
        "unchanged": 0,
        "updated": 0,
        "failed": [],
    }
    (hit,) = folio("search", "发票", "--filter", "department=hr", "--json").json()["hits"]
    assert (hit["source"], hit["text"]) == ("notes.md", "发票须在 30 天内提交。")
    again = ["ingest", "-", "--name", "notes.md", "--meta", "department=hr", "--json"]
    assert folio(*again, piped=text.encode()).json()["unchanged"] == 1
    assert folio(*again, piped=text.replace("30", "60").encode()).json()["updated"] == 1
    (record,) = folio("documents", "list", "--json").json()
    assert record["source"] == "notes.md"


@pytest.mark.parametrize(
    ("name", "piped", "error"),
    [("notes.md", b"", "file is empty"), ("notes.xyz", b"x", "files of type .xyz are not supported")],
)
def test_standard_input_that_is_no_document(folio: Folio, name: str, piped: bytes, error: str) -> None:
    done = folio("ingest", "-", "--name", name, "--json", piped=piped)
    (failed,) = done.json()["failed"]
    assert (done.code, failed["source"]) == (1, name)
    assert failed["error"].startswith(error)


def test_standard_input_is_not_taken_for_renamed(folio: Folio, docs: Path) -> None:
    folio("ingest", "-", "--name", "piped.md", piped=LEAVE.encode())
    folio("ingest", docs / "leave.md")
    assert {Path(record["source"]).name for record in folio("documents", "list", "--json").json()} == {
        "piped.md",
        "leave.md",
    }


def test_a_dry_run_says_what_would_be_done(ready: Folio, docs: Path, tmp_path: Path) -> None:
    (docs / "vpn_en.md").write_text(VPN + "\nIt needs a token.\n", encoding="utf-8")
    (docs / "new.md").write_text("# 报销\n\n发票须在 30 天内提交。\n", encoding="utf-8")
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    files = {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}

    done = ready("ingest", "--dry-run", docs, tmp_path / "missing.md", "--json")

    assert done.code == 1
    planned = done.json()
    assert {key: [Path(source).name for source in planned[key]] for key in ("new", "updated", "unchanged")} == {
        "new": ["new.md"],
        "updated": ["vpn_en.md"],
        "unchanged": ["leave.md"],
    }
    assert [Path(failed["source"]).name for failed in planned["failed"]] == ["missing.md", "broken.pdf"]
    after = {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}
    assert {path: after[path] for path in files if path.suffix != ".db-shm"} == {
        path: data for path, data in files.items() if path.suffix != ".db-shm"
    }

    (docs / "broken.pdf").unlink()
    told = ready("ingest", "--dry-run", docs)
    assert (told.code, told.err) == (0, "")
    assert told.out == (
        f"new        {planned['new'][0]}\n"
        f"updated    {planned['updated'][0]}\n"
        "would be: 1 new, 1 updated, 1 unchanged, 0 failed; nothing was written\n"
    )


def test_a_dry_run_before_the_first_ingest_makes_nothing(folio: Folio, docs: Path, tmp_path: Path) -> None:
    assert [Path(source).name for source in folio("ingest", "--dry-run", docs, "--json").json()["new"]] == [
        "leave.md",
        "vpn_en.md",
    ]
    assert folio("ingest", "--dry-run", "-", "--name", "n.md", "--json", piped=b"# A\n\nb\n").json()["new"] == ["n.md"]
    assert not (tmp_path / "home").exists()


def test_a_dry_run_sees_a_renamed_file(ready: Folio, docs: Path) -> None:
    (docs / "leave.md").rename(docs / "annual leave.md")
    assert len(ready("ingest", "--dry-run", docs, "--json").json()["unchanged"]) == 2


# extract


def test_extract(folio: Folio, docs: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.md"
    done = folio("extract", docs / "leave.md", missing, docs / "vpn_en.md", "--json")
    assert (done.code, done.err) == (1, "")
    leave, failed, vpn = done.lines()
    assert leave == {
        "source": "docs/leave.md",
        "title": "休假制度",
        "text": "休假制度\n\n年假\n\n试用期员工年假 5 天。转正员工年假 12 天。\n\n病假\n\n病假工资按 80% 计发。",
        "sections": [["年假"], ["病假"]],
        "chunks": [
            {"text": "试用期员工年假 5 天。转正员工年假 12 天。", "section": "年假", "page": None},
            {"text": "病假工资按 80% 计发。", "section": "病假", "page": None},
        ],
        "warnings": [],
        "error": None,
    }
    assert failed == {
        "source": "missing.md",
        "title": None,
        "text": "",
        "sections": [],
        "chunks": [],
        "warnings": [],
        "error": "no such file or folder",
    }
    assert vpn["source"] == "docs/vpn_en.md"
    assert not (tmp_path / "home").exists()


def test_extract_joins_the_path_of_a_section(folio: Folio, docs: Path) -> None:
    (docs / "a.md").write_text("# 制度\n\n## 休假\n\n### 年假\n\n年假 5 天。\n", encoding="utf-8")
    (extracted,) = folio("extract", docs / "a.md", "--json").lines()
    assert extracted["sections"] == [["休假", "年假"]]
    assert [chunk["section"] for chunk in extracted["chunks"]] == ["休假 > 年假"]


def test_extract_gives_the_chunks_that_an_ingest_stores(ready: Folio, docs: Path) -> None:
    (docs / "long.md").write_text(
        "# 差旅\n\n" + "\n\n".join(f"第 {n} 条，住宿每晚 {n} 元，交通每日 {n} 元。" for n in range(60)),
        encoding="utf-8",
    )
    ready("ingest", docs)
    hits = ready("search", "住宿 差旅", "--k", "99", "--filter", "source=docs/long.md", "--json").json()["hits"]
    (extracted,) = ready("extract", docs / "long.md", "--json").lines()
    assert len(extracted["chunks"]) > 1
    assert sorted(chunk["text"] for chunk in extracted["chunks"]) == sorted(hit["text"] for hit in hits)


def test_extract_for_a_person(folio: Folio, docs: Path) -> None:
    done = folio("extract", docs / "vpn_en.md", docs / "nosuch.md")
    assert (done.code, done.err) == (1, "failed   docs/nosuch.md: no such file or folder\n")
    assert done.out == (
        "docs/vpn_en.md: Remote access (1 chunks)\n\n"
        "[1] · Remote access\n  VPN sessions are closed after 45 minutes of inactivity.\n\n"
    )


def test_extract_with_a_password(folio: Folio, tmp_path: Path) -> None:
    writer = PdfWriter()
    writer.add_blank_page(width=72, height=72)
    writer.encrypt("sesame")
    writer.write(tmp_path / "locked.pdf")
    (without,) = folio("extract", tmp_path / "locked.pdf", "--json").lines()
    assert (
        without["error"]
        == "password required; save the file without one to ingest it (folio extract reads it with --password)"
    )
    (given,) = folio("extract", tmp_path / "locked.pdf", "--password", "sesame", "--json").lines()
    assert "password" not in given["error"]


def test_extract_opens_no_model_where_nothing_can_be_merged(
    folio: Folio, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_model: str) -> CharacterEmbedder:
        raise AssertionError("the model was opened")

    monkeypatch.setattr(agent.extract, "open_embedder", none)
    assert folio("extract", docs / "nosuch.md").code == 1
    monkeypatch.setenv("FOLIO_CHUNKING__MAX_PIECES", "1")
    (extracted,) = folio("extract", docs / "leave.md", "--json").lines()
    assert (len(extracted["chunks"]), extracted["error"]) == (2, None)


# documents


def test_documents(ready: Folio) -> None:
    records = ready("documents", "list", "--json").json()
    assert all(set(record) == DOCUMENT for record in records)
    assert [Path(record["source"]).name for record in records] == ["leave.md", "vpn_en.md"]
    leave, vpn = records
    assert (leave["title"], leave["doc_type"], leave["version"], leave["chunks"]) == ("休假制度", "md", None, 2)
    assert ready("documents", "list").out == "".join(
        f"{r['doc_id']}  {r['chunks']:>4}  {r['source']}\n" for r in records
    )

    assert ready("documents", "delete", leave["doc_id"], "--json").json() == [leave]
    assert ready("documents", "list", "--json").json() == [vpn]
    assert ready("search", "年假", "--mode", "keyword", "--json").json()["hits"] == []
    assert Path(leave["source"]).exists()
    assert ready("documents", "delete", vpn["source"]).out == f"deleted {vpn['source']} (1 chunks)\n"
    assert ready("documents", "list", "--json").json() == []


# search


def test_search(ready: Folio) -> None:
    found = ready("search", "转正员工年假 12 天", "--json").json()
    assert set(found) == {"query", "hits"}
    assert found["query"] == "转正员工年假 12 天"
    assert [hit["rank"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))
    best = found["hits"][0]
    fields = {"rank", "score", "chunk_id", "doc_id", "source", "section", "page", "text", "legs"}
    assert set(best) == fields | {"also_in", "superseded_by", "answerability"}
    assert (best["section"], best["page"]) == ("年假", None)
    assert best["text"] == "试用期员工年假 5 天。转正员工年假 12 天。"
    assert set(best["legs"]) == {"vector", "keyword", "fused", "rerank"}
    assert best["legs"]["rerank"] is None
    assert [set(best["legs"][leg]) for leg in ("vector", "keyword", "fused")] == [{"rank", "score"}] * 3
    # Both legs put it first: two times 1 / (60 + 1).
    assert (best["score"], best["legs"]["fused"]["score"]) == (2 / 61, 2 / 61)


@pytest.mark.parametrize(
    ("mode", "legs"),
    [("hybrid", {"vector", "keyword", "fused"}), ("vector", {"vector", "fused"}), ("keyword", {"keyword", "fused"})],
)
def test_search_modes(ready: Folio, mode: str, legs: set[str]) -> None:
    best = ready("search", "年假", "--mode", mode, "--k", "1", "--no-rerank", "--json").json()["hits"]
    assert len(best) == 1
    assert {leg for leg, place in best[0]["legs"].items() if place} == legs


def test_search_for_a_person(ready: Folio) -> None:
    out = ready("search", "VPN", "--mode", "keyword").out
    assert out.startswith("1. Remote access")
    assert "\n   VPN sessions are closed after 45 minutes of inactivity.\n" in out
    assert ready("search", "zzz", "--mode", "keyword").out == "nothing was found\n"


def test_a_file_of_queries_is_answered_in_order(ready: Folio, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    queries = ["VPN", "年\u2028假", "病假\x0c工资"]
    lines = [json.dumps({"query": query, "query_id": "q"}, ensure_ascii=False) for query in queries]
    path.write_text("\ufeff" + "\r\n\n".join(lines), encoding="utf-8", newline="")
    results = [json.loads(line) for line in ready("search", "--queries", path).out.rstrip("\n").split("\n")]
    assert [result["query"] for result in results] == queries
    assert [Path(result["hits"][0]["source"]).name for result in results] == ["vpn_en.md", "leave.md", "leave.md"]


def test_viewers_see_what_is_theirs(folio: Folio, docs: Path) -> None:
    assert folio("ingest", docs, "--meta", "visible_to=hr").code == 0
    assert folio("search", "年假", "--json").json()["hits"] == []
    assert folio("search", "年假", "--viewer", "it", "--viewer", "hr", "--json").json()["hits"]
    assert folio("ask", "转正员工年假有几天？", "--json").json()["refused"]


# ask


def test_ask(ready: Folio) -> None:
    done = ready("ask", "转正员工年假有几天？", "--json")
    assert (done.code, done.err) == (0, "")
    answer = done.json()
    assert set(answer) == {"answer", "refused", "reason", "citations", "checks", "usage", "session", "trace_id"}
    assert (answer["refused"], answer["reason"]) == (False, None)
    assert "转正员工年假 12 天。 [S1]" in answer["answer"]
    (citation,) = answer["citations"]
    assert set(citation) == {"label", "chunk_id", "source", "section", "page", "quote"}
    assert (citation["label"], citation["section"], citation["page"]) == ("S1", "年假", None)
    assert citation["quote"] in "试用期员工年假 5 天。转正员工年假 12 天。"
    assert set(answer["usage"]) == {"llm_calls", "tool_calls", "prompt_tokens", "completion_tokens"}
    assert (answer["usage"]["llm_calls"], answer["usage"]["tool_calls"]) == (2, 1)


def test_ask_for_a_person(ready: Folio) -> None:
    out = ready("ask", "转正员工年假有几天？").out
    assert "\n\n来源：\n  [S1] " in out
    assert "leave.md › 年假\n\ntrace " in out


def test_decisions_go_to_standard_error(ready: Folio) -> None:
    done = ready("ask", "转正员工年假有几天？", "--verbose", "--json")
    assert not done.json()["refused"]
    assert "tool          knowledge_search" in done.err


def test_a_session_goes_on(ready: Folio) -> None:
    ready("ask", "转正员工年假有几天？", "--session", "s")
    answer = ready("ask", "那病假呢？", "--session", "s", "--json").json()
    assert (answer["session"], answer["usage"]["tool_calls"]) == ("s", 2)
    trace = ready("trace", "show", answer["trace_id"], "--json").json()
    assert [event["tool"] for event in trace["events"] if event["event"] == "action"] == [
        "query_rewrite",
        "knowledge_search",
    ]


def test_a_file_of_questions_with_history(ready: Folio, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    history = [{"role": "user", "text": "转正员工年假有几天？"}, {"role": "assistant", "text": "12 天"}]
    lines: list[dict[str, Any]] = [
        {"query": "那病假呢？", "history": history, "gold": ["x"]},
        {"query": "那病假呢？"},
        {"query": "转正员工年假有几天？", "history": None},
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    done = ready("ask", "--questions", path)
    assert (done.code, done.err) == (0, "")
    answers = done.lines()
    assert len({answer["session"] for answer in answers}) == 3
    # Only the first is a follow-up of something, and what came before it on other lines is not its conversation.
    assert [answer["usage"]["tool_calls"] for answer in answers] == [2, 1, 1]


def test_a_question_before_any_document(folio: Folio) -> None:
    answer = folio("ask", "年假有几天？", "--json")
    assert answer.code == 0
    assert (answer.json()["refused"], answer.json()["reason"]) == (True, "no_documents")
    assert is_one_line(folio("search", "年假"))


# trace


def test_trace_show(ready: Folio) -> None:
    answer = ready("ask", "转正员工年假有几天？", "--json").json()
    trace = ready("trace", "show", answer["trace_id"], "--json").json()
    assert trace["answer"] == answer
    told = ready("trace", "show", answer["trace_id"]).out
    assert told.startswith("question   转正员工年假有几天？\n")
    assert "model      offline\n" in told


# what a person can mend


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", ""], "the question is blank; type what you want to know"),
        (["search", " \u3000 "], "the question is blank; type what you want to know"),
        (["ask", " "], "the question is blank; type what you want to know"),
        (["search"], "give either a question or --queries FILE.jsonl"),
        (["search", "q", "--queries", "f"], "give either a question or --queries FILE.jsonl"),
        (["ask"], "give either a question or --questions FILE.jsonl"),
        (["search", "q", "--mode", "fuzzy"], "unknown mode 'fuzzy'; choose one of hybrid, vector, keyword"),
        (["search", "q", "--k", "0"], "k is 0; it must be 1 or more"),
        (["search", "q", "--filter", "pdf"], "filter 'pdf' is not key=value; a right one is doc_type=pdf"),
        (["ask", "q", "--filter", "=pdf"], "filter '=pdf' is not key=value; a right one is doc_type=pdf"),
        (["ingest", ".", "--meta", "hr"], "--meta takes key=value, such as department=hr"),
        (["ingest", "-"], "standard input (-) needs --name with the type of its content, such as notes.md"),
        (
            ["ingest", "-", ".", "--name", "a.md"],
            "standard input (-) is brought in alone: without other paths and without --watch",
        ),
        (["ingest", ".", "--name", "a.md"], "--name is for standard input: folio ingest - --name notes.md"),
        (
            ["ingest", ".", "--watch", "--dry-run"],
            "--watch and --dry-run do not go together: a dry run brings nothing in",
        ),
        (["documents", "delete", "nosuch"], "no document 'nosuch'; `folio documents list` shows the ids"),
        (["search", "--queries", "nosuch.jsonl"], "nosuch.jsonl: cannot be read (No such file or directory)"),
        (["search", "--queries", "."], ".: cannot be read (Is a directory)"),
        (
            ["ask", "--questions", "nosuch.jsonl", "--session", "s"],
            '--session does not go with --questions: a line brings its conversation as "history"',
        ),
    ],
)
def test_one_line_and_exit_2(folio: Folio, arguments: list[str], message: str) -> None:
    done = folio(*arguments, "--json")
    assert is_one_line(done)
    assert done.err == f"folio: {message}\n"


def test_trace_replay(ready: Folio, tmp_path: Path) -> None:
    trace_id = ready("ask", "转正员工年假有几天？", "--json").json()["trace_id"]
    done = ready("trace", "replay", trace_id)
    assert (done.code, done.out, done.err) == (0, "the answer is the same, byte for byte\n", "")
    replayed = ready("trace", "replay", trace_id, "--json").json()
    assert replayed == {"same": True, "trace_id": trace_id, "diff": [], "searches": []}
    path = tmp_path / "home" / "traces" / f"{trace_id}.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["answer"]["answer"] = "转正员工年假 5 天。 [S1]"
    path.write_text(json.dumps(record), encoding="utf-8")
    done = ready("trace", "replay", trace_id)
    assert (done.code, done.out.splitlines()[:3]) == (
        1,
        ["the answer is another:", "--- recorded", "+++ replayed"],
    )


def test_trace_replay_with_todays_index(ready: Folio, docs: Path) -> None:
    trace_id = ready("ask", "转正员工年假有几天？", "--json").json()["trace_id"]
    same = "every search finds what it found\nthe answer is the same, byte for byte\n"
    assert ready("trace", "replay", trace_id, "--live-retrieval").out == same
    (docs / "leave.md").write_text(LEAVE.replace("12 天", "15 天"), encoding="utf-8")
    ready("ingest", docs)
    done = ready("trace", "replay", trace_id, "--live-retrieval")
    source = docs / "leave.md"
    assert done.code == 0
    assert done.out.splitlines()[:4] == [
        "search: 转正员工年假有几天？",
        f"  lost    #1  {source.relative_to(docs.parent)} › 年假: 试用期员工年假 5 天。转正员工年假 12 天。",
        f"  gained  #1  {source.relative_to(docs.parent)} › 年假: 试用期员工年假 5 天。转正员工年假 15 天。",
        "the answer is another:",
    ]
    assert '+转正员工年假 15 天。 [S1]",' in done.out
    # Alone, it is what it was.
    assert ready("trace", "replay", trace_id).code == 0


def test_an_earlier_answer_that_no_longer_holds_is_said(ready: Folio, docs: Path) -> None:
    ready("ask", "转正员工年假有几天？", "--session", "s")
    (docs / "leave.md").write_text(LEAVE.replace("12 天", "15 天"), encoding="utf-8")
    ready("ingest", docs)
    answer = ready("ask", "VPN?", "--session", "s", "--json").json()
    (notice,) = answer["notices"]
    assert notice.startswith("Note: the earlier answer to “转正员工年假有几天？” no longer holds: ")
    assert "notices" not in ready("ask", "VPN?", "--session", "s", "--json").json()


def test_a_session_of_too_long_a_name_is_one_line(ready: Folio) -> None:
    done = ready("ask", "VPN?", "--session", "x" * 65)
    assert (done.code, done.err) == (2, "folio: the name of a session has at most 64 characters, not 65\n")


def test_an_unknown_trace(folio: Folio, tmp_path: Path) -> None:
    done = folio("trace", "show", "nosuch")
    assert is_one_line(done)
    assert done.err.startswith(f"folio: there is no trace 'nosuch' in {tmp_path / 'home' / 'traces'}")


@pytest.mark.parametrize("command", [["search", "--queries"], ["ask", "--questions"]])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON (Expecting property name enclosed in double quotes)"),
        ('"年假"', "the line: input should be a valid dictionary or instance of Question"),
        ("{}", "query: field required"),
        ('{"query": 5}', "query: input should be a valid string"),
        ('{"query": " "}', "query: is blank"),
        ('{"query": "q", "history": "x"}', "history: input should be a valid list"),
        ('{"query": "q", "history": ["x"]}', "history.0: input should be a valid dictionary or instance of Message"),
        ('{"query": "q", "history": [{"role": "user", "content": "x"}]}', "history.0.text: field required"),
        (
            '{"query": "q", "history": [{"role": "bot", "text": "x"}]}',
            "history.0.role: input should be 'user' or 'assistant'",
        ),
    ],
)
def test_a_bad_line_is_named_before_anything_is_answered(
    folio: Folio, tmp_path: Path, command: list[str], line: str, message: str
) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f'{{"query": "年假"}}\n\n{line}\n', encoding="utf-8")
    done = folio(*command, path)
    assert is_one_line(done)
    assert done.err.startswith(f"folio: {path}, line 3: {message}")


def test_a_file_of_queries_in_another_encoding(folio: Folio, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes('{"query": "年假"}'.encode("gbk"))
    done = folio("search", "--queries", path)
    assert is_one_line(done)
    assert done.err == f"folio: {path}: not UTF-8; save the file as UTF-8\n"


@pytest.mark.parametrize(
    "command", [["documents", "list"], ["search", "q"], ["ask", "q"], ["chat"], ["trace", "show", "x"]]
)
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("FOLIO_TOPK", "3", "there is no setting FOLIO_TOPK; did you mean FOLIO_TOP_K?"),
        ("FOLIO_TOP_K", "many", "FOLIO_TOP_K: input should be a valid integer"),
        ("FOLIO_CHUNKING__MAX_CHARS", "1", "FOLIO_CHUNKING__MAX_CHARS: input should be greater than or equal to 20"),
    ],
)
def test_a_bad_setting(
    folio: Folio, monkeypatch: pytest.MonkeyPatch, command: list[str], name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    done = folio(*command)
    assert is_one_line(done)
    assert done.err.startswith(f"folio: {message}")


@pytest.mark.parametrize("command", [["ask", "q"], ["chat"]])
def test_an_address_without_a_model(ready: Folio, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    assert is_one_line(ready(*command))
    assert ready("search", "年假").code == 0


def test_a_home_in_use(ready: Folio, tmp_path: Path) -> None:
    with KnowledgeBase.open(Settings(home=tmp_path / "home"), embedder=CharacterEmbedder()):
        for command in (["documents", "list"], ["ingest", "docs"], ["search", "年假"], ["ask", "年假"], ["chat"]):
            done = ready(*command)
            assert is_one_line(done)
            assert f"is in use by process {os.getpid()}: " in done.err
    assert len(ready("documents", "list", "--json").json()) == 2


def test_a_key_that_is_refused_is_shown_nowhere(ready: Folio, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with ChatServer([Raw(401, json.dumps({"error": {"message": f"bad key {KEY}"}}))]) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("FOLIO_CHAT_MODEL", "m")
        done = ready("ask", "年假有几天？", "--session", "s", "--verbose")
    assert is_one_line(done)
    assert done.err == f"folio: the chat model 'm' at {server.host} refused the key; check OPENAI_API_KEY\n"
    (trace,) = (tmp_path / "home" / "traces").glob("*.json")
    assert KEY not in trace.read_text(encoding="utf-8")
    told = ready("trace", "show", trace.stem)
    assert told.out.endswith("refused the key; check OPENAI_API_KEY\n")
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("arguments", [["nosuch"], ["search", "q", "--k", "x"], ["search", "q", "--nosuch"]])
def test_wrong_usage(folio: Folio, arguments: list[str]) -> None:
    done = folio(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: folio ")
    assert "Error: " in done.err
    assert done.err.isascii()


@pytest.mark.parametrize(
    "command", [[], ["ingest"], ["extract"], ["documents"], ["search"], ["ask"], ["chat"], ["mcp"], ["trace", "show"]]
)
def test_help(folio: Folio, command: list[str]) -> None:
    done = folio(*command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Usage: folio")


def test_arguments_that_are_no_text(ready: Folio) -> None:
    assert ready("ask", "\udcff 年假", "--json").json()["trace_id"]
    assert ready("search", "\udcff 年假", "--json").json()["hits"]


def test_json_survives_an_output_that_cannot_hold_it(ready: Folio, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    output = io.TextIOWrapper(written, encoding="gbk")
    monkeypatch.setattr(sys, "stdout", output)
    print_json({"answer": "✅𠮷"})
    print_json({"answer": "年假"})
    output.flush()
    first, second = written.getvalue().decode("gbk").splitlines()
    assert json.loads(first) == {"answer": "✅𠮷"}
    assert second == '{"answer": "年假"}'


# the command itself, with the embedder that it comes with


def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "signs.md").write_text("# 符号\n\n办理完成后显示 ✅ 标记，窗口由𠮷田负责。\n", encoding="utf-8")
    environment = {"PYTHONPATH": str(ROOT), "FOLIO_HOME": str(tmp_path / "home")}

    def run(*arguments: str, encoding: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "agent.cli", *arguments]
        env = environment | {"PYTHONIOENCODING": encoding}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
        return done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding)

    code, out, err = run("ingest", "signs.md", "--json", encoding="utf-8")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"documents": 1, "chunks": 1, "unchanged": 0, "updated": 0, "failed": []}

    code, out, err = run("ask", "办理完成后显示什么标记？", encoding="gbk")
    assert (code, err) == (0, "")
    assert "办理完成后显示 ? 标记，窗口由?田负责。 [S1]" in out
    assert "\x1b" not in out

    code, out, err = run("documents", "delete", "nosuch", encoding="utf-8")
    assert (code, out) == (2, "")
    assert err == "folio: no document 'nosuch'; `folio documents list` shows the ids\n"
