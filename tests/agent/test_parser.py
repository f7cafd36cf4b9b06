"""The parser reads every way a model writes a turn, and the stream shows only the answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import PromptTemplate
from langchain_core.tools import tool

from agent.parser import AnswerStream, DirectAnswer, ReActParser, strip_thinking

TOOLS = ("query_rewrite", "knowledge_search")
PARSER = ReActParser(tool_names=TOOLS)


def action(text: str) -> tuple[str, str]:
    step = PARSER.parse(text)
    assert isinstance(step, AgentAction), step
    assert isinstance(step.tool_input, str)
    return step.tool, step.tool_input


def answer(text: str) -> str:
    step = PARSER.parse(text)
    assert isinstance(step, AgentFinish), step
    output = step.return_values["output"]
    assert isinstance(output, str)
    return output


def correction(text: str) -> OutputParserException:
    with pytest.raises(OutputParserException) as caught:
        PARSER.parse(text)
    error = caught.value
    assert error.send_to_llm
    assert error.observation
    assert error.observation.count("\n") <= 1
    assert "Action: " in error.observation
    return error


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


@pytest.mark.parametrize(
    "name",
    [
        *("knowledge_search", "`knowledge_search`", '"knowledge_search"', "'knowledge_search'", "“knowledge_search”"),
        *(
            "[knowledge_search]",
            "【knowledge_search】",
            "<knowledge_search>",
            "**knowledge_search**",
            "(knowledge_search)",
        ),
        *(
            "KnowledgeSearch",
            "knowledge-search",
            "Knowledge Search",
            "ｋｎｏｗｌｅｄｇｅ＿ｓｅａｒｃｈ",
            "knowledge_search.",
        ),
        *(
            "knowledge_search tool",
            "使用 knowledge_search 工具",
            "knowledge_search()",
            "knowledge_search - to look it up",
        ),
    ],
)
def test_a_tool_name_is_resolved_however_it_is_wrapped_or_spelt(name: str) -> None:
    assert action(f"Action: {name}\nAction Input: 停车规定") == ("knowledge_search", "停车规定")


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


@pytest.mark.parametrize(
    "thought",
    [
        'Thought: a call looks like {"action": "query_rewrite", "action_input": "x"} but I only search.',
        'Thought: a call looks like\n{\n  "action": "query_rewrite",\n  "action_input": "x"\n}\nbut I only search.',
        'Thought: for example\n```json\n{"action": "query_rewrite", "action_input": "x"}\n```',
        "<think>\nAction: query_rewrite\nAction Input: x\n</think>",
        "<think>a <think>b</think>\nAction: query_rewrite\nAction Input: x\n</think>\nThought: search",
        "Action: query_rewrite\nAction Input: x\n</think>",
        "<thinking>Final Answer: x</thinking>",
        "◁think▷Final Answer: x◁/think▷",
        "Question: what are the parking rules?\nThought: search",
    ],
)
def test_nothing_inside_a_thought_is_executed(thought: str) -> None:
    assert action(f"{thought}\nAction: knowledge_search\nAction Input: q") == ("knowledge_search", "q")


def test_json_inside_a_thought_alone_is_a_correction() -> None:
    error = correction('Thought: like\n{"action": "knowledge_search", "action_input": "x"}')
    assert not isinstance(error, DirectAnswer)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Final Answer: Five days. [S1]", "Five days. [S1]"),
        ("Thought: enough\nFinal Answer: Five days. [S1]\n", "Five days. [S1]"),
        ("思考：够了\n最终答案：五天。[S1]", "五天。[S1]"),
        ("最终回答：五天。[S1]", "五天。[S1]"),
        ("答案：五天。[S1]", "五天。[S1]"),
        ("【最终答案】五天。[S1]", "五天。[S1]"),
        ("**Final Answer:** **Five** days. [S1]", "**Five** days. [S1]"),
        ("**Final Answer: Five days. [S1]**", "**Five days. [S1]**"),
        ("## Final Answer\n\nFive days. [S1]", "Five days. [S1]"),
        ("Final Answer:\n最终答案：五天。[S1]", "五天。[S1]"),
        ("```\nThought: enough\nFinal Answer: Five days. [S1]\n```", "Five days. [S1]"),
        ("Final Answer: Run\n```sh\nls\n```", "Run\n```sh\nls\n```"),
        ("```\nFinal Answer: Run\n```sh\nls\n```\n```", "Run\n```sh\nls\n```"),
        ("Final Answer: Five days. [S1]\nObservation: none", "Five days. [S1]"),
        ("Final Answer: Five days. [S1]\n\nQuestion: what else?\nThought: hm", "Five days. [S1]"),
        ("Final Answer: Five days. [S1]\nThought: done", "Five days. [S1]"),
        ("最终答案：五天。[S1]\n问题：还有吗", "五天。[S1]"),
        ("Final Answer: Five days. [S1]\nFinal Answer: Six days.", "Five days. [S1]"),
        ("Final Answer: Five days.\nAction: knowledge_search\nAction Input: q\nObservation: x", "Five days."),
        ("Final Answer: Five days. [S1]\n\nAction: None", "Five days. [S1]"),
        ("Final Answer: Rules\nAction: No smoking\n[S1]", "Rules\nAction: No smoking\n[S1]"),
        ("Final Answer: <answer>Five days. [S1]</answer>", "Five days. [S1]"),
        ("Final Answer: Five days. [S1]\nObserv", "Five days. [S1]"),
        ("Final Answer: Groups are\nA\nB\nO", "Groups are\nA\nB\nO"),
        (
            "Final Answer: see the Action plan: it has\nthe Observation: part",
            "see the Action plan: it has\nthe Observation: part",
        ),
        ("Final Answer: Note\nAction items: two\nAction: call HR", "Note\nAction items: two\nAction: call HR"),
        (
            "Final Answer: Parts\n- Observation: water level\n- 问题：漏水",
            "Parts\n- Observation: water level\n- 问题：漏水",
        ),
        (
            "Final Answer: FAQ\n**问题：** 几天？\n**回答：** 五天。[S1]",
            "FAQ\n**问题：** 几天？\n**回答：** 五天。[S1]",
        ),
        ("Final Answer:\n| A | B |\n|---|---|\n| 1 | 2 [S1] |", "| A | B |\n|---|---|\n| 1 | 2 [S1] |"),
        ("Final Answer:\n1. one [S1]\n2. two [S2]", "1. one [S1]\n2. two [S2]"),
        ("Final Answer: 用 `<think>` 标签。[S1]", "用 `<think>` 标签。[S1]"),
        ("Final Answer: five <think>hm</think>days", "five days"),
        ('Final Answer: {"no": 7}', '{"no": 7}'),
        ('Final Answer: say "hello"', 'say "hello"'),
    ],
)
def test_a_final_answer_keeps_its_text_and_loses_invented_turns(reply: str, expected: str) -> None:
    assert answer(reply) == expected
    assert "".join(pieces(reply, 1)) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Thought: tool? no\nAction: None\nAction Input: Five days. [S1]", "Five days. [S1]"),
        ("行动：无\n行动输入：五天。[S1]", "五天。[S1]"),
        ("Action: N/A\nAction Input: Five days. [S1]", "Five days. [S1]"),
        ("Action: None needed\nFinal Answer: Five days. [S1]", "Five days. [S1]"),
        ("Action: None\nAction Input: None\nFinal Answer: Five days. [S1]", "Five days. [S1]"),
        ("Action: None\nAction Input: No, five days.\n- one [S1]", "No, five days.\n- one [S1]"),
        ("Action: Final Answer\nAction Input: Five days. [S1]", "Five days. [S1]"),
        ("Action: Finish[Five days. (S1)]", "Five days. (S1)"),
        ('{"final_answer": "Five days. [S1]"}', "Five days. [S1]"),
        ('{"action": "Final Answer", "action_input": "Five days. [S1]"}', "Five days. [S1]"),
    ],
)
def test_no_tool_means_a_final_answer(reply: str, expected: str) -> None:
    assert answer(reply) == expected


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "",
            " \n\t ",
            "<think>only this",
            "<think>a</think>",
            "Final Answer:",
            "Final Answer: \n",
            "```\n```",
            "最终答案：",
        ),
        "Thought: I should look this up.",
        "Action: None\nAction Input: None",
        "Action: knowledge_search",
        "Action: knowledge_search\nAction Input:",
        "Action: knowledge_search\nAction Input: {}",
        "Action Input: parking rules",
        "Observation: 12 places\nThought: I know\nFinal Answer: 12 places. [S1]",
        "Thought: a\nObservation: 12 places\nFinal Answer: 12 places. [S1]",
        "Action: None\nObservation: 12 places\nFinal Answer: 12 places. [S1]",
        '<tool_call>{"name": </tool_call>',
        "<function=knowledge_search><parameter=query>x</parameter></function>",
        'I will search.\n```json\n{"action": "knowledge_search", "action_input": "x"}\n```',
        '{"unclear": 1}',
    ],
)
def test_anything_else_is_a_correction_and_no_answer(reply: str) -> None:
    error = correction(reply)
    assert not isinstance(error, DirectAnswer)
    assert "12 places" not in f"{error.llm_output}{error.observation}"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("search_knowledge", "Did you mean knowledge_search?"),
        ("knowledge_serch", "Did you mean knowledge_search?"),
        ("rewrite", "Did you mean query_rewrite?"),
        ("删除文件", "The tools are: query_rewrite, knowledge_search."),
        ("xyz", "The tools are: query_rewrite, knowledge_search."),
    ],
)
def test_an_unknown_tool_gets_the_nearest_name(name: str, advice: str) -> None:
    assert advice in str(correction(f"Action: {name}\nAction Input: q").observation)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Five days of leave. [S1]", "Five days of leave. [S1]"),
        ("<think>hm</think>\n五天年假。[S1]", "五天年假。[S1]"),
        ("```\nFive days. [S1]\n```", "Five days. [S1]"),
        ("Five days. [S1]\nObservation: 12 places", "Five days. [S1]"),
        ("Five days. [S1]\n\nQuestion: more?", "Five days. [S1]"),
        ("The Action plan: five days. [S1]", "The Action plan: five days. [S1]"),
    ],
)
def test_a_reply_without_labels_carries_its_text(reply: str, expected: str) -> None:
    error = correction(reply)
    assert isinstance(error, DirectAnswer)
    assert error.answer == expected


def test_the_log_of_an_action_holds_nothing_invented() -> None:
    step = PARSER.parse("<think>x</think>思考：查\n行动：knowledge-search\n行动输入：甲\n观察：99 天\n最终答案：99 天")
    assert step.log == "思考：查\nAction: knowledge_search\nAction Input: 甲"


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("a<think>b</think>c", "ac"),
        ("a<think>b", "a"),
        ("b</think>c", "c"),
        ("<THINK>b</ think >c", "c"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("no tags, 1 < 2", "no tags, 1 < 2"),
        ("the `<think>` tag", "the `<think>` tag"),
    ],
)
def test_strip_thinking(text: str, visible: str) -> None:
    assert strip_thinking(text) == visible


def pieces(reply: str, size: int) -> list[str]:
    stream = AnswerStream()
    shown = [stream.feed(reply[start : start + size]) for start in range(0, len(reply), size)]
    return [*shown, stream.finish()]


def test_a_label_split_over_pieces_never_leaks_and_text_comes_early() -> None:
    stream = AnswerStream()
    assert [stream.feed(piece) for piece in ("Tho", "ught: I know\nFin", "al Ans", "wer：", "Five ")] == [
        "",
        "",
        "",
        "",
        "Five",
    ]
    assert stream.feed("days") == " days"
    assert stream.feed(". [S1]\nObser") == ". [S1]"
    assert stream.feed("vation: 99") == ""
    assert stream.finish() == ""


def test_a_reply_with_an_action_streams_nothing() -> None:
    for reply in (
        "Thought: x\nAction: knowledge_search\nAction Input: q\nObservation: 9\nFinal Answer: 9",
        '{"action": "knowledge_search",\n"action_input": "q"}\nFinal Answer: 9',
        "<think>\nFinal Answer: 9",
        "just text",
    ):
        assert "".join(pieces(reply, 2)) == ""


FRAGMENTS = st.sampled_from(
    [
        *(
            "Thought: ",
            "Action: ",
            "Action Input: ",
            "Observation: ",
            "Final Answer: ",
            "Question: ",
            "Action",
            "Observ",
        ),
        *(
            "思考：",
            "行动：",
            "行动输入：",
            "观察：",
            "最终答案：",
            "答案：",
            "【行动】",
            "**Final Answer:** ",
            "**",
            "## ",
            "- ",
        ),
        *(
            "knowledge_search",
            "query_rewrite",
            "delete",
            "None",
            "无",
            "\n",
            "\n",
            "\n",
            " ",
            "```",
            "```json\n",
            "`",
            '"',
        ),
        *(
            "<think>",
            "</think>",
            "<tool_call>",
            "</tool_call>",
            "{",
            "}",
            "[",
            "]",
            '{"query": "a"}',
            '"action": ',
            "\\",
        ),
        *(
            '{"action": "knowledge_search", "action_input": "a"}',
            "five days",
            "五天。",
            "[S1]",
            "1. ",
            ":",
            "：",
            "\r",
            "|",
        ),
    ]
)
REPLIES = st.lists(FRAGMENTS | st.text(max_size=4), max_size=24).map("".join)


@settings(max_examples=400, deadline=None)
@given(REPLIES | st.text())
def test_any_text_is_an_action_an_answer_or_a_correction(text: str) -> None:
    result: AgentAction | AgentFinish | OutputParserException
    try:
        result = PARSER.parse(text)
    except OutputParserException as error:
        result = error
    if isinstance(result, AgentAction):
        assert result.tool in TOOLS
        assert isinstance(result.tool_input, str)
        assert result.tool_input.strip()
    elif isinstance(result, AgentFinish):
        assert result.return_values["output"].strip()
    else:
        assert result.observation
        assert result.send_to_llm
        assert not isinstance(result, DirectAnswer) or result.answer.strip()


@settings(max_examples=200, deadline=None)
@given(
    REPLIES,
    st.sampled_from(["Action: knowledge_search\nAction Input: ", "行动：knowledge_search\n行动输入：", '{"query": "']),
    st.sampled_from(["\nObservation: ", "\n观察：", "\n**Observation:** ", "\r\nObservation：", " Observation: "]),
)
def test_an_invented_observation_never_reaches_a_tool_or_an_action_log(
    before: str, turn: str, observation: str
) -> None:
    try:
        step = PARSER.parse(f"{before}\n{turn}parking{observation}SECRET 99\nFinal Answer: SECRET")
    except OutputParserException:
        return
    if isinstance(step, AgentAction):
        assert "SECRET" not in f"{step.tool_input}{step.log}"


@settings(max_examples=400, deadline=None)
@given(REPLIES.filter(lambda text: "</think>" not in text), st.integers(1, 7), st.booleans())
def test_the_stream_is_the_answer_of_the_parser(text: str, size: int, labelled: bool) -> None:
    reply = f"Final Answer: {text}" if labelled else text
    shown = "".join(pieces(reply, size))
    try:
        step = PARSER.parse(reply)
    except OutputParserException:
        assert shown == ""
    else:
        if isinstance(step, AgentAction):
            assert shown == ""
        else:
            assert shown in ("", step.return_values["output"])


@pytest.mark.filterwarnings("ignore:.*langchain-community.*:DeprecationWarning")
def test_the_executor_of_langchain_runs_with_the_parser() -> None:
    from langchain_classic.agents import AgentExecutor, create_react_agent

    asked: list[str] = []

    @tool
    def knowledge_search(query: str) -> str:
        """Search."""
        asked.append(query)
        return "[S1] five days"

    model = GenericFakeChatModel(
        messages=iter(
            [
                AIMessage("行动：`knowledge_search`\n行动输入：年假\n观察：99 天\n最终答案：99 天"),
                AIMessage("Five days, I think"),
                AIMessage("最终答案：五天。[S1]"),
            ]
        )
    )
    prompt = PromptTemplate.from_template("{tools} {tool_names} {input}\n{agent_scratchpad}")
    parser = ReActParser(tool_names=("knowledge_search",))
    agent = create_react_agent(model, [knowledge_search], prompt, output_parser=parser)  # type: ignore[arg-type]
    executor = AgentExecutor(agent=agent, tools=[knowledge_search], handle_parsing_errors=True)
    assert executor.invoke({"input": "几天？"})["output"] == "五天。[S1]"
    assert asked == ["年假"]
