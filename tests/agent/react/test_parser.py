"""Whatever a model replies, the parser gives an action, an answer or a correction."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import PromptTemplate
from langchain_core.tools import tool

from agent.react.parser import DirectAnswer, ReActParser
from tests.agent.replies import PARSER, REPLIES, TOOLS


def test_the_log_of_an_action_holds_nothing_invented() -> None:
    step = PARSER.parse("<think>x</think>思考：查\n行动：knowledge-search\n行动输入：甲\n观察：99 天\n最终答案：99 天")
    assert step.log == "思考：查\nAction: knowledge_search\nAction Input: 甲"


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
