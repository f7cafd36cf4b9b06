from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter

from tests.agent.cli.conftest import Folio
from tests.agent.conftest import VPN

DOCUMENT = {"doc_id", "source", "title", "doc_type", "version", "updated_at", "chunks"}


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


BAD_FILES: dict[str, Callable[[Path], object]] = {
    "missing.md": lambda _path: None,
    "empty.md": lambda path: path.touch(),
    "sheet.xyz": lambda path: path.write_text("text", encoding="utf-8"),
    "broken.pdf": lambda path: path.write_bytes(b"%PDF-1.7\nnothing more"),
}


def test_bad_files_are_named_and_the_others_are_in(ready: Folio, tmp_path: Path) -> None:
    for name, write in BAD_FILES.items():
        write(tmp_path / name)
    (tmp_path / "good.md").write_text("# 报销\n\n发票须在 30 天内提交。\n", encoding="utf-8")

    done = ready("ingest", *BAD_FILES, "good.md", "--json")

    assert (done.code, done.err) == (1, "")
    report = done.json()
    assert (report["documents"], report["chunks"]) == (1, 1)
    assert sorted(failed["source"] for failed in report["failed"]) == sorted(BAD_FILES)
    assert all(set(failed) == {"source", "error"} and "\n" not in failed["error"] for failed in report["failed"])
    assert len(ready("documents", "list", "--json").json()) == 3
    told = ready("ingest", "empty.md")
    assert told.code == 1
    assert told.err == "failed   empty.md: file is empty\n"
    assert told.out == "0 documents, 0 chunks (0 unchanged, 0 updated, 1 failed)\n"


def test_standard_input_is_a_document(folio: Folio) -> None:
    text = "# 报销\n\n发票须在 30 天内提交。\n"
    ingest = ["ingest", "-", "--name", "notes.md", "--meta", "department=hr", "--json"]
    report = folio(*ingest, piped=text.encode()).json()
    assert report == {"documents": 1, "chunks": 1, "unchanged": 0, "updated": 0, "failed": []}
    (hit,) = folio("search", "发票", "--filter", "department=hr", "--json").json()["hits"]
    assert (hit["source"], hit["text"]) == ("notes.md", "发票须在 30 天内提交。")
    assert folio(*ingest, piped=text.encode()).json()["unchanged"] == 1
    assert folio(*ingest, piped=text.replace("30", "60").encode()).json()["updated"] == 1


@pytest.mark.parametrize(
    ("name", "piped", "error"),
    [("notes.md", b"", "file is empty"), ("notes.xyz", b"x", "files of type .xyz are not supported")],
)
def test_standard_input_that_is_no_document(folio: Folio, name: str, piped: bytes, error: str) -> None:
    done = folio("ingest", "-", "--name", name, "--json", piped=piped)
    (failed,) = done.json()["failed"]
    assert (done.code, failed["source"]) == (1, name)
    assert failed["error"].startswith(error)


def test_a_dry_run_says_what_would_be_done(brought_in: Folio, docs: Path, tmp_path: Path) -> None:
    (docs / "vpn_en.md").write_text(VPN + "\nIt needs a token.\n", encoding="utf-8")
    (docs / "new.md").write_text("# 报销\n\n发票须在 30 天内提交。\n", encoding="utf-8")
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    files = {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}

    done = brought_in("ingest", "--dry-run", docs, tmp_path / "missing.md", "--json")

    assert done.code == 1
    planned = done.json()
    names = [Path(source).name for key in ("new", "updated", "unchanged") for source in planned[key]]
    assert names == ["new.md", "vpn_en.md", "leave.md"]
    assert [Path(failed["source"]).name for failed in planned["failed"]] == ["missing.md", "broken.pdf"]
    assert all(path.read_bytes() == data for path, data in files.items() if path.suffix != ".db-shm")

    (docs / "broken.pdf").unlink()
    told = brought_in("ingest", "--dry-run", docs)
    assert (told.code, told.err) == (0, "")
    assert told.out == (
        f"new        {planned['new'][0]}\n"
        f"updated    {planned['updated'][0]}\n"
        "would be: 1 new, 1 updated, 1 unchanged, 0 failed; nothing was written\n"
    )


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
    nothing: dict[str, Any] = {"title": None, "text": "", "sections": [], "chunks": [], "warnings": []}
    assert failed == {"source": "missing.md", **nothing, "error": "no such file or folder"}
    assert vpn["source"] == "docs/vpn_en.md"
    assert not (tmp_path / "home").exists()


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
