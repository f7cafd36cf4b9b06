from typing import Any

import pytest

from agent.http.sections import MOST_AROUND
from tests.agent.http.conftest import ANSWER, QUESTION, SEARCH, Serve, restricted

RULES = "# Rules\n\nBefore all headings.\n\n## Keys\n\nKeys are blue.\n\n## Doors\n\nDoors are green.\n"
LONG = "# Long\n\n" + "".join(f"Paragraph {n} speaks of the number {n}. {'word ' * 150}\n\n" for n in range(100))


def test_a_cited_passage_is_shown_in_its_section(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER)
    (source,) = served.client.post("/api/chat", json={"question": QUESTION}).json()["sources"]
    around = served.client.get(f"/api/passages/{source['chunk_id']}").json()
    assert around["document"] == served.client.get(f"/api/documents/{source['document_id']}").json()
    assert around["section"] == {
        "section": "年假",
        "page": None,
        "passages": [
            {"chunk_id": source["chunk_id"], "page": None, "content": "试用期员工年假 5 天。转正员工年假 12 天。"}
        ],
    }
    assert (around["left_out_before"], around["left_out_after"]) == (0, 0)


def test_a_document_is_read_section_by_section(serve: Serve) -> None:
    served = serve(documents={"rules.md": RULES})
    path = f"/api/documents/{served.id_of('rules.md')}/sections"

    def shown(**page: int) -> list[tuple[str, list[str]]]:
        read: dict[str, Any] = served.client.get(path, params=page).json()
        assert (read["total"], read["document"]["title"]) == (3, "Rules")
        return [(one["section"], [passage["content"] for passage in one["passages"]]) for one in read["sections"]]

    whole = [("Rules", ["Before all headings."]), ("Keys", ["Keys are blue."]), ("Doors", ["Doors are green."])]
    assert shown() == whole
    assert shown(limit=1, offset=1) == whole[1:2]
    assert shown(offset=3) == []


def test_of_a_long_section_what_is_near_the_passage_is_shown(serve: Serve) -> None:
    served = serve(documents={"long.md": LONG})
    path = f"/api/documents/{served.id_of('long.md')}/sections"
    (section,) = served.client.get(path, params={"limit": 1000}).json()["sections"]
    ids = [passage["chunk_id"] for passage in section["passages"]]
    assert len(ids) > 2 * MOST_AROUND + 1
    for place, first, last in ((0, 0, MOST_AROUND), (MOST_AROUND + 2, 2, 2 * MOST_AROUND + 2)):
        around = served.client.get(f"/api/passages/{ids[place]}").json()
        assert [passage["chunk_id"] for passage in around["section"]["passages"]] == ids[first : last + 1]
        assert (around["left_out_before"], around["left_out_after"]) == (first, len(ids) - 1 - last)


def test_text_is_shown_to_those_who_may_search_it(serve: Serve) -> None:
    served = serve(documents={"board.md": restricted("board"), "leave.md": RULES})
    doc_id = served.id_of("board.md")
    chunks = served.assistant.knowledge_base.read(doc_id)[1]
    board, desk, admin = served.key("b", groups=("board",)), served.key("desk"), served.key("a", "admin")
    for path in (f"/api/documents/{doc_id}/sections", f"/api/passages/{chunks[0].chunk_id}"):
        assert "30 天" in served.client.get(path, headers=board).text
        for other in (desk, admin):
            response = served.client.get(path, headers=other)
            assert response.status_code == 404
            assert "董事会" not in response.text
        assert served.client.get(path).status_code == 401


@pytest.mark.parametrize("changed", ["deleted", "updated"])
def test_a_passage_of_what_was_is_gone(serve: Serve, changed: str) -> None:
    served = serve(documents={"rules.md": RULES})
    base, doc_id = served.assistant.knowledge_base, served.id_of("rules.md")
    chunk = base.read(doc_id)[1][0]
    if changed == "deleted":
        base.delete(doc_id)
    else:
        base.ingest_data(RULES.replace("blue", "red").encode(), "rules.md")
    response = served.client.get(f"/api/passages/{chunk.chunk_id}")
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")


def test_a_search_sees_what_the_groups_of_its_key_see(serve: Serve) -> None:
    served = serve(documents={"board.md": restricted("board")})
    for headers, seen in (
        (served.key("staff"), []),
        (served.key("clerk", "admin"), []),
        (served.key("chair", groups=("Board",)), ["board.md"]),
    ):
        reply = served.client.post("/api/search", json={"query": "董事会"}, headers=headers).json()
        assert [hit["filename"] for hit in reply["hits"]] == seen
    refused = served.client.post("/api/search", json={"query": "x", "viewer": ["board"]}, headers=served.key("staff"))
    assert refused.status_code == 422
