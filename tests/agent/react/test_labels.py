"""Labels are found however they are written."""

import pytest

from tests.agent.replies import action


@pytest.mark.parametrize(
    "reply",
    [
        "Thought: look\nAction: knowledge_search\nAction Input: parking rules",
        " look\nAction: knowledge_search\nAction Input: parking rules\n",
        "Thought：look\nAction：knowledge_search\nAction Input：parking rules",
        "Ａｃｔｉｏｎ：knowledge_search\nＡｃｔｉｏｎ　Ｉｎｐｕｔ：parking rules",
        "思考：要查\n行动：knowledge_search\n行动输入：parking rules",
        "思考：要查\n动作：knowledge_search\n动作输入：parking rules",
        "行动: knowledge_search\n输入: parking rules",
        "【思考】要查\n【行动】knowledge_search\n【行动输入】parking rules",
        "（思考）要查\n（行动）knowledge_search\n（行动输入）parking rules",
        "【行动】：knowledge_search\n【行动输入】：parking rules",
        "**Thought:** look\n**Action:** knowledge_search\n**Action Input:** parking rules",
        "**Thought**: look\n**Action**: `knowledge_search`\n**Action Input**: parking rules",
        "**Action: knowledge_search**\n**Action Input: parking rules**",
        "### Thought\nlook\n### Action\nknowledge_search\n### Action Input\nparking rules",
        "> Action: knowledge_search\n> Action Input: parking rules",
        "- Action: knowledge_search\n- Action Input: parking rules",
        "1. Thought: look\n2. Action: knowledge_search\n3. Action Input: parking rules",
        "`Action:` `knowledge_search`\n`Action Input:` `parking rules`",
        "[Action]: knowledge_search\n[Action Input]: parking rules",
        '"Action": "knowledge_search"\n"Action Input": "parking rules"',
        '"Action: knowledge_search"\n"Action Input: parking rules"',
        "Action 1: knowledge_search\nAction Input 1: parking rules",
        "action: knowledge_search\naction_input: parking rules",
        "\ufeffAction: knowledge_search\r\nAction Input: parking rules\r\n",
        "Action:\nknowledge_search\nAction Input:\nparking rules",
        "Action: knowledge_search Action Input: parking rules",
        "Action: knowledge_search, Action Input: parking rules",
        "Action: knowledge_search(parking rules)",
        'Action: knowledge_search("parking rules")',
        'Action: knowledge_search(query="parking rules")',
        "Action: knowledge_search[parking rules]",
        "```\nThought: look\nAction: knowledge_search\nAction Input: parking rules\n```",
        "```text\nAction: knowledge_search\nAction Input: parking rules\n```\n",
        "Action: knowledge_search\nAction Input: parking rules\n```",
        "Action: knowledge_search\nAction Input: parking rules<|im_end|>",
        "Action: knowledge_search\nAction Input: parking rules</tool_call>",
    ],
)
def test_every_way_of_writing_labels_is_one_action(reply: str) -> None:
    assert action(reply) == ("knowledge_search", "parking rules")
