import json
from dataclasses import fields, replace

from agent.hit_record import hit_record, read_hit
from preprocessing.document import Chunk
from retrieval.hit import Hit, LegScore
from tests.fakes import make_hit


def test_a_hit_comes_back_whole_from_json() -> None:
    hit = make_hit(
        "年假 5 天。",
        section=("休假", "年假"),
        page=2,
        page_end=3,
        metadata={"department": ("hr", "it"), "owner": "me"},
        version="2024",
        content_hash="h",
    )
    legs = {"vector": LegScore(2, 0.5), "fused": LegScore(1, 0.03125)}
    hit = replace(hit, legs=legs, also_in=("copy.md",), superseded_by="new.md")
    record = json.loads(json.dumps(hit_record(hit), ensure_ascii=False))
    assert read_hit(record) == hit
    # Whatever a hit or a chunk has, a trace has.
    assert set(record) == {field.name for field in fields(Hit)}
    assert set(record["chunk"]) == {field.name for field in fields(Chunk)}
