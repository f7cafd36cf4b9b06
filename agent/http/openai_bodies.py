"""The bodies of OpenAI's chat completions, as far as Folio reads and writes them."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MODEL = "folio"


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: str | None = None


class Message(BaseModel):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Return the text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream holds besides the answer."""

    include_usage: bool = False


class CompletionRequest(BaseModel):
    """A conversation whose last message is the question; settings of a model, such as temperature, are not read."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [{"model": "folio", "messages": [{"role": "user", "content": "转正员工年假有几天？"}]}]
        },
    )

    model: str = MODEL
    messages: list[Message] = Field(min_length=1)
    user: str | None = Field(
        None,
        max_length=512,
        description="Whose conversation it is: Folio then remembers it, and of the messages reads only the last. "
        "Without it, the messages are the conversation and nothing is remembered.",
    )
    stream: bool | None = False
    stream_options: StreamOptions | None = None


class Reply(BaseModel):
    """What the assistant says."""

    role: Literal["assistant"] = "assistant"
    content: str


class Choice(BaseModel):
    """The one answer there is."""

    index: int = 0
    message: Reply
    finish_reason: Literal["stop"] = "stop"


class TokenUsage(BaseModel):
    """Tokens of all calls to the model behind the answer."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(BaseModel):
    """An answer with its sources under it."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: TokenUsage
    folio: dict[str, Any] = Field(description="What the shape has no place for: the reply of /api/chat but its text.")


class Model(BaseModel):
    """A model that can be asked."""

    id: str = MODEL
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "folio"


class ModelList(BaseModel):
    """The models that can be asked: one."""

    object: Literal["list"] = "list"
    data: list[Model]
