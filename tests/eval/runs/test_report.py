from eval.runs.run import QuestionScore, Run, SetIdentity
from eval.runs.tables import markdown_table
from eval.tasks.retrieval import retrieval_table

SET = SetIdentity(name="small", split="dev", digest="d", searched=3, unit="passages")


def question(query_id: str, score: float, rerank: float) -> QuestionScore:
    metrics = dict.fromkeys(("R@1", "R@5", "MRR@10", "nDCG@10"), score)
    return QuestionScore(
        query_id=query_id,
        question="?",
        scores={"keyword": metrics, "hybrid + rerank": metrics},
        milliseconds={"embed": 10.0, "vector": 1.0, "keyword": 2.0, "fuse": 0.5, "rerank": rerank},
    )


def test_the_table_of_a_run() -> None:
    run = Run(
        command="retrieval",
        commit=None,
        created_at="",
        set=SET,
        settings={"embed_model": "characters"},
        rows=["keyword", "hybrid + rerank"],
        questions=[question("q1", 1.0, 20.0), question("q2", 0.25, 30.0)],
    )
    assert retrieval_table(run).splitlines() == [
        "small/dev: 2 questions, 3 passages, embedding model characters",
        "",
        "|                 |   R@1 |   R@5 | MRR@10 | nDCG@10 | ms per query |",
        "| --------------- | ----: | ----: | -----: | ------: | -----------: |",
        "| keyword         | 0.625 | 0.625 |  0.625 |   0.625 |          2.0 |",
        "| hybrid + rerank | 0.625 | 0.625 |  0.625 |   0.625 |         38.5 |",
    ]


def test_chinese_cells_line_up() -> None:
    assert markdown_table(["类型", "n"], [["追问", "12"], ["a", 0.5]]).splitlines() == [
        "| 类型 |     n |",
        "| ---- | ----: |",
        "| 追问 |    12 |",
        "| a    | 0.500 |",
    ]
