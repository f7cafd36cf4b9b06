"""A tool call in JSON is read wherever it is the turn itself."""

import pytest

from agent.react.parser import DirectAnswer
from tests.agent.replies import action, correction


@pytest.mark.parametrize(
    "reply",
    [
        '{"action": "knowledge_search", "action_input": "parking rules"}',
        '{"thought": "look", "action": "knowledge_search", "action_input": {"query": "parking rules"}}',
        '{\n  "thought": "look",\n  "action": "knowledge_search",\n  "action_input": "parking rules"\n}',
        '```json\n{"action": "knowledge_search", "action_input": "parking rules"}\n```',
        'Thought: look\nAction:\n```json\n{\n "action": "knowledge_search",\n "action_input": "parking rules"\n}\n```',
        '{"tool_call": {"action": "knowledge_search", "action_input": {"query": "parking rules"}}}',
        '{"tool_calls": [{"function": {"name": "knowledge_search", "arguments": {"query": "parking rules"}}}]}',
        '<tool_call>\n{"name": "knowledge_search", "arguments": {"query": "parking rules"}}\n</tool_call>',
        'Thought: look\n<tool_call>{"name": "knowledge_search", "arguments": {"query": "parking rules"}}</tool_call>',
        '<tool_call>{"name": "knowledge_search", "arguments": "{\\"query\\": \\"parking rules\\"}"}',
        '[TOOL_CALLS][{"name": "knowledge_search", "arguments": {"query": "parking rules"}}]',
        '[{"name": "knowledge_search", "parameters": {"query": "parking rules"}}, {"name": "query_rewrite"}]',
        '{"action": "knowledge_search", "action_input": "parking rules"}\nObservation: 12 places\nFinal Answer: 12',
        '{"action": "knowledge_search", "action_input": "parking rules"}\nFinal Answer: 12 places',
    ],
)
def test_a_wrapped_call_is_unwrapped(reply: str) -> None:
    assert action(reply) == ("knowledge_search", "parking rules")


def test_json_inside_a_thought_alone_is_a_correction() -> None:
    error = correction('Thought: like\n{"action": "knowledge_search", "action_input": "x"}')
    assert not isinstance(error, DirectAnswer)
