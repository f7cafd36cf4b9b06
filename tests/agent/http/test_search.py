from typing import Any

from tests.agent.http.conftest import Serve, Served, restricted


def test_hits_say_where_they_stand(served: Served) -> None:
    reply = served.client.post("/api/search", json={"query": "VPN inactivity", "top_k": 1}).json()
    (hit,) = reply["hits"]
    assert (reply["query"], hit["rank"], hit["document_id"]) == ("VPN inactivity", 1, served.id_of("vpn_en.md"))
    assert (hit["filename"], hit["heading"], hit["page"]) == ("vpn_en.md", "Remote access", None)
    assert hit["content"] == "VPN sessions are closed after 45 minutes of inactivity."
    assert (hit["legs"]["vector"]["rank"], hit["legs"]["keyword"]["rank"], hit["legs"]["rerank"]) == (1, 1, None)


def test_a_search_is_narrowed(served: Served) -> None:
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"mode": "keyword"}, ["vpn_en.md"]),
        ({"filters": {"source": "vpn*"}}, ["vpn_en.md"]),
        ({"filters": {"source": ["leave.md", "nothing.md"]}}, ["leave.md"]),
        ({"filters": {"source": "nothing.md"}}, []),
    ]
    for narrowed, found in cases:
        reply = served.client.post("/api/search", json={"query": "VPN", **narrowed}).json()
        assert list(dict.fromkeys(hit["filename"] for hit in reply["hits"])) == found


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
