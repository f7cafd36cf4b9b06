import io
import json
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from retrieval.documents.lease import WriterBusy
from retrieval.remote.address import EndpointBusy
from tests.agent.conftest import LEAVE
from tests.agent.http.conftest import BOARD, Serve, Served, restricted
from tests.fakes import CharacterEmbedder


def finished(served: Served, url: str, headers: dict[str, str] | None = None) -> Any:
    """Wait until an upload is in, or is not."""
    for _ in range(500):
        state = served.client.get(url, headers=headers).json()
        if state["status"] in ("done", "failed"):
            return state
        time.sleep(0.01)
    raise AssertionError(state)


def test_a_document_is_uploaded_found_shown_and_deleted(serve: Serve) -> None:
    served = serve(documents={})
    response = served.upload("hr/休假.md", LEAVE, metadata='{"department": ["hr", "all"]}')
    assert response.status_code == 201
    taken = response.json()
    document_id = taken["document_id"]
    assert taken == {
        "document_id": document_id,
        "filename": "休假.md",
        "chunk_count": 2,
        "outcome": "new",
        "warnings": [],
    }
    assert response.headers["location"] == f"/api/documents/{document_id}"

    found = served.client.post("/api/search", json={"query": "年假", "filters": {"department": "all"}}).json()["hits"]
    assert {hit["document_id"] for hit in found} == {document_id}
    shown = served.client.get(response.headers["location"]).json()
    assert (shown["filename"], shown["title"], shown["chunk_count"]) == ("休假.md", "休假制度", 2)
    assert shown["source"] == "hr/休假.md"
    assert served.client.get("/api/documents").json() == {"total": 1, "documents": [shown]}

    assert served.client.delete(response.headers["location"]).status_code == 204
    for gone in (served.client.get, served.client.delete):
        assert gone(response.headers["location"]).status_code == 404
    assert served.client.post("/api/search", json={"query": "年假"}).json() == {"query": "年假", "hits": []}


def bomb() -> bytes:
    """Return a package that unpacks to too much."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", b"a" * (40 << 20))
    return packed.getvalue()


NOT_TAKEN: dict[str, tuple[str, bytes, int, str]] = {
    "empty": ("a.txt", b"", 400, "a.txt: file is empty"),
    "empty PDF": ("a.pdf", b"", 400, "a.pdf: file is empty"),
    "blank": ("a.md", b" \r\n\t", 400, "a.md: file is empty"),
    "type": ("a.exe", b"MZ", 415, "files of type .exe are not supported; supported are"),
    "no type": ("README", b"text", 415, "files of type (none) are not supported"),
    "bomb": ("bomb.docx", bomb(), 422, "the limit is"),
    "cut": ("a.docx", b"PK\x03\x04cut short", 422, "broken or cut short"),
    "another type inside": ("a.pdf", b"<html><body>Not Found</body></html>", 422, "not a PDF file but an HTML page"),
    "picture": ("a.pdf", b"\x89PNG\r\n\x1a\n", 422, "a picture (PNG)"),
    "nothing in it": ("a.md", b"---\ntitle: t\n---\n", 422, "no text in the file"),
    "parent": ("../a.md", b"text", 400, "'../a.md' is no name for a document; a right one is notes.md"),
    "parents": ("../../outside_case.txt", b"escape test", 400, "is no name for a document"),
    "absolute": ("/tmp/outside_case_abs.txt", b"escape test", 400, "is no name for a document"),
    "backslashes": ("..\\a.md", b"text", 400, "is no name for a document"),
    "drive": ("C:a.md", b"text", 400, "is no name for a document"),
    "control": ("a\x07b.md", b"text", 400, "is no name for a document"),
    "long": ("x" * 300 + ".md", b"text", 400, "is no name for a document"),
}


def test_what_cannot_be_taken_is_said_and_leaves_nothing(serve: Serve, tmp_path: Path) -> None:
    served = serve(documents={})
    before = sorted(path for path in tmp_path.rglob("*") if "home" not in path.parts)
    for name, data, status, said in NOT_TAKEN.values():
        # Written by hand, since a client may mend a name before it sends it.
        shown = name.replace("\\", "\\\\")
        head = f'--casebound\r\nContent-Disposition: form-data; name="file"; filename="{shown}"\r\n'
        body = f"{head}Content-Type: text/plain\r\n\r\n".encode() + data + b"\r\n--casebound--\r\n"
        headers = {"Content-Type": "multipart/form-data; boundary=casebound"}
        response = served.client.post("/api/documents", content=body, headers=headers)
        assert (response.status_code, response.json()["status"]) == (status, status), name
        assert said in response.json()["detail"]
    assert served.client.get("/api/documents").json()["total"] == 0
    assert sorted(path for path in tmp_path.rglob("*") if "home" not in path.parts) == before
    assert not Path("/tmp/outside_case_abs.txt").exists()


def test_a_document_is_replaced_only_when_that_is_said(serve: Serve) -> None:
    served = serve(documents={"leave.md": LEAVE})
    same = served.upload("leave.md", LEAVE)
    assert (same.status_code, same.json()["outcome"]) == (200, "unchanged")
    other = served.upload("leave.md", LEAVE.replace("12", "15"))
    assert (other.status_code, other.json()["document_id"]) == (409, same.json()["document_id"])
    assert "send replace=true" in other.json()["detail"]
    assert "12 天" in served.client.post("/api/search", json={"query": "转正员工年假"}).text

    replaced = served.upload("leave.md", LEAVE.replace("12", "15"), replace="true")
    assert (replaced.status_code, replaced.json()["outcome"]) == (200, "updated")
    assert replaced.json()["document_id"] == same.json()["document_id"]
    assert "15 天" in served.client.post("/api/search", json={"query": "转正员工年假"}).text


def test_a_large_one_is_brought_in_after_the_answer(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    served = serve(documents={}, background_mb=0.001)
    goes_on = threading.Event()
    request.addfinalizer(goes_on.set)
    embed = CharacterEmbedder.embed_passages

    def slow(self: CharacterEmbedder, texts: Any) -> Any:
        assert goes_on.wait(60)
        return embed(self, texts)

    monkeypatch.setattr(CharacterEmbedder, "embed_passages", slow)
    response = served.upload("large.md", "# Large\n\n" + "Every lift is inspected twice a year. " * 40)
    assert response.status_code == 202
    state = response.json()
    url = state["status_url"]
    assert response.headers["location"] == url
    assert (state["filename"], state["status"], state["document"]) == ("large.md", state["status"], None)
    assert state["status"] in ("waiting", "running")
    assert served.client.get("/health").json()["counts"]["uploads_waiting"] == 1
    # What comes while it is read waits for it, and is answered at once too.
    after = served.upload("small.md", "# Small\n\nA lift.")
    assert after.status_code == 202
    goes_on.set()

    document = finished(served, url)["document"]
    assert (document["filename"], document["outcome"]) == ("large.md", "new")
    assert served.client.get(f"/api/documents/{document['document_id']}").status_code == 200
    assert finished(served, after.json()["status_url"])["status"] == "done"
    assert served.client.get("/api/uploads/" + "0" * 32).status_code == 404


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (EndpointBusy("the embedding model is busy"), 502, "the embedding model is busy"),
        (WriterBusy("another process writes"), 409, "another process writes"),
        (ValueError("secret of the house"), 500, "the server could not do this"),
    ],
)
def test_what_is_no_fault_of_the_file(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, said: str
) -> None:
    served = serve(documents={})

    def fail(*_args: Any) -> None:
        raise error

    monkeypatch.setattr(CharacterEmbedder, "embed_passages", fail)
    response = served.upload("a.md", "some text of a document")
    assert response.status_code == status
    assert said in response.json()["detail"]
    assert "secret" not in response.text


def test_an_upload_belongs_to_its_key(serve: Serve) -> None:
    served = serve(documents={}, background_mb=0)
    mine, yours = served.key("mine", "write"), served.key("yours", "write")
    url = served.upload("a.md", "some text of a document", mine).json()["status_url"]
    assert finished(served, url, mine)["status"] == "done"
    assert served.client.get(url, headers=yours).status_code == 404


# permissions


def test_only_those_who_may_see_a_document_learn_of_it(serve: Serve) -> None:
    served = serve(documents={"leave.md": LEAVE, "board.md": restricted("board")})
    board = served.id_of("board.md")
    seen = {}
    for name, role, groups in (("staff", "write", ()), ("chair", "write", ("board",)), ("clerk", "admin", ())):
        key = served.key(name, role, groups)
        listed = served.client.get("/api/documents", headers=key).json()
        seen[name] = (
            [document["filename"] for document in listed["documents"]],
            served.client.get(f"/api/documents/{board}", headers=key).status_code,
            served.client.get("/health", headers=key).json()["counts"]["documents"],
        )
    both = ["board.md", "leave.md"]
    assert seen == {"staff": (["leave.md"], 404, 1), "chair": (both, 200, 2), "clerk": (both, 200, 2)}

    staff, chair = served.key("staff"), served.key("chair")
    assert served.client.delete(f"/api/documents/{board}", headers=staff).status_code == 404
    taken = served.upload("board.md", "# Mine now\n\nfor all to see", staff, replace="true")
    assert (taken.status_code, "document_id" in taken.json()) == (409, False)
    assert "30 天" in served.client.post("/api/search", json={"query": "董事会年假"}, headers=chair).text
    # Who takes care of all documents does not search on behalf of all groups.
    clerk = served.key("clerk")
    assert "30 天" not in served.client.post("/api/search", json={"query": "董事会年假"}, headers=clerk).text
    assert served.client.delete(f"/api/documents/{board}", headers=chair).status_code == 204


def test_a_document_is_shown_only_to_groups_of_the_key(serve: Serve) -> None:
    served = serve(documents={})
    cases: list[tuple[str, tuple[str, ...], Any, int]] = [
        ("write", ("hr",), "HR", 201),
        ("write", ("hr",), "public", 201),
        ("write", ("hr",), ["hr", "board"], 403),
        ("write", (), "board", 403),
        ("admin", (), "board", 201),
        ("read", ("hr",), "hr", 403),
    ]
    for number, (role, groups, visible_to, status) in enumerate(cases):
        key, metadata = served.key(f"k{number}", role, groups), json.dumps({"visible-to": visible_to})
        response = served.upload(f"{number}.md", f"{BOARD}{number}", key, metadata=metadata)
        assert response.status_code == status, response.text
