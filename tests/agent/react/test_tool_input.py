"""The input of a tool is plain text."""

import pytest

from tests.agent.replies import action


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('{"query": "parking rules"}', "parking rules"),
        ('{"input": "parking rules"}', "parking rules"),
        ('{"query": "parking rules", "k": 5}', "parking rules"),
        ('{\n  "query": "parking rules"\n}', "parking rules"),
        ('{\n  "input": "parking rules"\n}', "parking rules"),
        ('{"action_input": {"query": "parking rules"}}', "parking rules"),
        ("{'query': 'parking rules'}", "parking rules"),
        ('{"query": "parking rules', "parking rules"),
        ('{“query”： "parking rules"}', '{“query”： "parking rules"}'),
        ('["parking", "rules"]', "parking rules"),
        ('```json\n{"query": "parking rules"}\n```', "parking rules"),
        ('\n```json\n{"query": "parking rules"}\n```\n', "parking rules"),
        ("```\nparking rules\n```", "parking rules"),
        ('`{"query": "parking rules"}`', "parking rules"),
        ('{"query": "parking rules"}\nI will wait for the result.', "parking rules"),
        ('"parking rules"', "parking rules"),
        ("“停车规定”", "停车规定"),
        ("「停车规定」", "停车规定"),
        ("**parking rules**", "parking rules"),
        ('query: "parking rules"', "parking rules"),
        ('what does "gate closed" mean', 'what does "gate closed" mean'),
        ('what is "gate closed"', 'what is "gate closed"'),
        ('"gate closed" and "gate open"', '"gate closed" and "gate open"'),
        (r'"the \"gate\" message"', 'the "gate" message'),
        ('"gate closed', '"gate closed'),
        ("《停车管理办法》", "《停车管理办法》"),
        ("“甲”和“乙”的区别", "“甲”和“乙”的区别"),
        ("[S1] 指什么", "[S1] 指什么"),
        ("{no} 是什么", "{no} 是什么"),
        ("first line\nsecond line", "first line\nsecond line"),
        ("parking rules\nO", "parking rules"),
        ("parking rules\nObserv", "parking rules"),
        ("parking rules\n\nObservation", "parking rules"),
        ("停车规定\n观察", "停车规定"),
        ("停车规定\n观", "停车规定"),
        ("parking rules\nObservation: 12 places", "parking rules"),
        ("parking rules\n**Observation:** 12 places", "parking rules"),
        ("parking rules Observation: 12 places", "parking rules"),
        (r"parking rules\nObservation: 12 places", r"parking rules\n"),
        ("停车规定\n观察结果：12 个车位", "停车规定"),
        ('{"query": "停车规定\n观察：12 个车位"}', "停车规定"),
        ("parking rules\nQuestion: another one", "parking rules"),
        ("parking rules\nThought: now I know", "parking rules"),
        ("parking rules\nAction: query_rewrite\nAction Input: other", "parking rules"),
        ("parking rules\nFinal Answer: 12 places. [S1]", "parking rules"),
    ],
)
def test_the_input_is_the_plain_text(written: str, meant: str) -> None:
    assert action(f"Action: knowledge_search\nAction Input: {written}") == ("knowledge_search", meant)
