import json
from typing import Any

import pytest

from tests.agent.conftest import model_of, prompts_of
from tests.agent.http.conftest import ANSWER, QUESTION, SEARCH, Serve

SHOWN = "转正员工年假 12 天。[S1]\n\n来源：\n  [S1] leave.md › 年假"


def asking(question: str, **more: Any) -> dict[str, Any]:
    return {"model": "folio", "messages": [{"role": "user", "content": question}], **more}


def test_a_completion(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER)
    body = asking(QUESTION, temperature=0.2, tools=[], n=1)
    body["messages"].insert(0, {"role": "system", "content": "Talk like a pirate."})
    reply = served.client.post("/v1/chat/completions", json=body).json()
    assert reply["id"].startswith("chatcmpl-")
    assert (reply["object"], reply["model"]) == ("chat.completion", "folio")
    (choice,) = reply["choices"]
    assert choice == {"index": 0, "message": {"role": "assistant", "content": SHOWN}, "finish_reason": "stop"}
    assert reply["usage"]["total_tokens"] == reply["usage"]["prompt_tokens"] + reply["usage"]["completion_tokens"] > 0
    assert [source["filename"] for source in reply["folio"]["sources"]] == ["leave.md"]
    assert "pirate" not in "\n".join(prompts_of(served.assistant))
    assert [model["id"] for model in served.client.get("/v1/models").json()["data"]] == ["folio"]


@pytest.mark.parametrize("with_usage", [False, True])
def test_a_stream_is_the_checked_answer_in_pieces(serve: Serve, with_usage: bool) -> None:
    wrong = "Thought: 有了。\nFinal Answer: 转正员工年假 99 天。[S1]"
    served = serve(SEARCH, wrong, ANSWER)
    body = asking(QUESTION, stream=True, stream_options={"include_usage": with_usage})
    response = served.client.post("/v1/chat/completions", json=body)
    lines = [line.removeprefix("data: ") for line in response.text.split("\n\n") if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    assert {(chunk["id"], chunk["object"]) for chunk in chunks} == {(chunks[0]["id"], "chat.completion.chunk")}
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert deltas[0]["role"] == "assistant"
    assert "".join(delta.get("content", "") for delta in deltas) == SHOWN
    reasons = [choice["finish_reason"] for chunk in chunks for choice in chunk["choices"]]
    assert reasons == [None] * (len(reasons) - 1) + ["stop"]
    assert [chunk["choices"] for chunk in chunks if "usage" in chunk] == [[]] * with_usage
    assert "99 天" not in response.text


def test_the_messages_are_the_conversation_and_nothing_is_remembered(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER)
    earlier = [{"role": "user", "content": "年假？"}, {"role": "assistant", "content": "哪一种员工？"}]
    last = {"role": "user", "content": [{"type": "text", "text": "转正员工"}, {"type": "image_url"}]}
    body = {"messages": [*earlier, last]}
    reply = served.client.post("/v1/chat/completions", json=body).json()
    assert "User: 年假？\nAssistant: 哪一种员工？" in prompts_of(served.assistant)[0]
    assert reply["choices"][0]["message"]["content"] == SHOWN
    assert served.client.get("/api/sessions").json() == {"sessions": [], "titles": {}}


def test_a_user_has_a_session(serve: Serve) -> None:
    served = serve(SEARCH, ANSWER)
    one, other = served.key("one"), served.key("other")

    def prompt_of(question: str, user: str, key: dict[str, str]) -> str:
        model_of(served.assistant).prompts.clear()
        assert served.client.post("/v1/chat/completions", json=asking(question, user=user), headers=key).is_success
        return prompts_of(served.assistant)[0]

    prompt_of("转正员工年假有几天？", "李雷@example.org", one)
    assert "User: 转正员工年假有几天？" in prompt_of("那病假呢？", "李雷@example.org", one)
    assert "User: 转正员工年假有几天？" not in prompt_of("那病假呢？", "韩梅梅", one)
    # A user of the same name behind another key is somebody else.
    assert "User: 转正员工年假有几天？" not in prompt_of("那病假呢？", "李雷@example.org", other)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "hi"}]}, "the last one must be the user's"),
        (asking(" \n"), "the last one must be the user's, with a question in it"),
        (asking("x" * 8001), "the last one is longer than 8000 characters"),
        ({"messages": [{"role": "pirate", "content": "hi"}]}, "messages.0.role"),
    ],
)
def test_what_is_no_question(serve: Serve, body: dict[str, Any], said: str) -> None:
    response = serve().client.post("/v1/chat/completions", json=body)
    assert response.status_code == 422
    assert said in response.json()["detail"]
    # Where clients of this protocol look.
    assert response.json()["error"]["message"] == response.json()["detail"]
