from typing import Any

import pytest

from agent.language import Language
from agent.view.text import progress_text, waiting_text

SEARCH = {"event": "action", "tool": "knowledge_search", "input": "年假\n病假"}
REWRITE = {"event": "action", "tool": "query_rewrite", "input": "那病假呢？"}
CORRECTION = {"event": "action", "tool": "_Exception", "input": "This answer was not accepted"}
FOUND = {"event": "observation", "hits": [{}, {}, {}]}
NOTHING = {"event": "observation", "hits": []}
FINISH = {"event": "finish"}


@pytest.mark.parametrize(
    ("event", "chinese", "english"),
    [
        (SEARCH, "搜索：年假 病假", "searching: 年假 病假"),
        (REWRITE, "理解问题：那病假呢？", "working out: 那病假呢？"),
        (CORRECTION, "核对后重写回答", "checked; writing it anew"),
        (FOUND, "找到 3 段相关内容", "3 passages found"),
        (NOTHING, "思考中", "thinking"),
        (FINISH, "核对回答", "checking the answer"),
    ],
)
def test_each_event_is_one_line(event: dict[str, Any], chinese: str, english: str) -> None:
    assert progress_text(event, "zh") == chinese
    assert progress_text(event, "en") == english


def test_braces_in_a_query_mean_nothing() -> None:
    assert progress_text({**SEARCH, "input": "{x} {0}"}, "en") == "searching: {x} {0}"


@pytest.mark.parametrize(("language", "thinks", "writes"), [("zh", "思考中", "正在写，尚未核对")])
def test_between_events(language: Language, thinks: str, writes: str) -> None:
    assert (waiting_text(language, writes=False), waiting_text(language, writes=True)) == (thinks, writes)
