"""A chat model behind any OpenAI-compatible address."""

import logging
import os
from collections.abc import Iterator
from itertools import chain
from typing import Any

import httpx
import openai
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import Field, PrivateAttr, SkipValidation

from agent.models.chat import OPENAI_URL, base_url, host_of
from agent.models.errors import ModelError, ToolsRefused
from agent.models.failures import model_errors
from agent.models.provider import THOUGHT, as_piece, note_thought, readable_piece, refused_part, without_system
from agent.react.labels import goes_round, strip_thinking
from agent.settings import Settings
from agent.traces.observed import SecretValues
from prompts import ContextWindow, approximate_tokens
from retrieval.remote.address import ModelAddress

logger = logging.getLogger(__name__)

MAX_RETRIES = 2
_PROXY_NAMES = ("all_proxy", "http_proxy", "https_proxy")
CUT_SHARE = 0.5
"""Of the tokens that were sent, as counted here; a provider that counts fewer has cut the prompt."""
CUT_MIN_TOKENS = 1500
_LOOK_EVERY = 100
"""Characters of a reply after which it is looked at again."""


class CompatibleChatModel(ChatOpenAI):
    """ChatOpenAI that learns what its provider refuses; every failure is a ModelError, whichever step called it.

    What is refused with a request is left out of it, at once and of all later ones. Replies are streamed, because some
    providers think only then; one that does not stream is asked for the whole.
    """

    settings: SkipValidation[Settings]
    window: SkipValidation[ContextWindow] = Field(
        default_factory=lambda data: ContextWindow.of(data["settings"].context_tokens)
    )
    _left_out: frozenset[str] = PrivateAttr(default=frozenset())
    _warned: set[str] = PrivateAttr(default_factory=set)
    _takes_tools: bool = PrivateAttr(default=True)
    _has_called_tools: bool = PrivateAttr(default=False)

    @property
    def takes_tools(self) -> bool:
        """Say whether tools may be sent along; no longer when they were refused, or passed over for calls in words."""
        return self._takes_tools

    def note_call_in_words(self) -> None:
        """Take note that it was sent tools and called one in the text of its reply."""
        if not self._has_called_tools:
            self._do_without_tools("calls tools in words")

    def _do_without_tools(self, why: str) -> None:
        self._takes_tools = False
        self._warn_once(
            "tools",
            f"the chat model {self.model_name!r} {why}, so it is asked as with FOLIO_AGENT_STYLE=react from now on",
        )

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        with model_errors(self.settings):
            first, rest = self._begun(messages, stop, run_manager, kwargs)
            yield from self._watched(messages, chain([first], rest))

    def _begun(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None,
        run_manager: CallbackManagerForLLMRun | None,
        kwargs: dict[str, Any],
    ) -> tuple[ChatGenerationChunk, Iterator[ChatGenerationChunk]]:
        """Return the first piece of a reply and the rest, leaving out of the request what is refused."""
        left_out = self._left_out
        while True:
            pieces = self._pieces(messages, stop, run_manager, left_out, kwargs)
            try:
                first = next(pieces, None)
            except openai.APIStatusError as error:
                refused = refused_part(error, left_out, has_tools=bool(kwargs.get("tools")))
                if refused is None:
                    raise
                if refused == "tools":
                    self._do_without_tools("takes no tools")
                    raise ToolsRefused(f"the chat model {self.model_name!r} takes no tools") from error
            else:
                if first is not None:
                    self._left_out = left_out
                    return first, pieces
                if "stream" in left_out:
                    raise ValueError("an empty reply without choices")
                refused = "stream"
            logger.info("the chat model %s is asked without %s", self.model_name, refused)
            left_out |= {refused}

    def _pieces(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None,
        run_manager: CallbackManagerForLLMRun | None,
        left_out: frozenset[str],
        kwargs: dict[str, Any],
    ) -> Iterator[ChatGenerationChunk]:
        """Yield the reply to a request without what is left out, ended where a stop would have ended it."""
        sent = without_system(messages) if "system" in left_out else messages
        sent_stop = None if "stop" in left_out else stop
        options = {**kwargs, "left_out": left_out}
        if "stream" in left_out:
            yield as_piece(super()._generate(sent, sent_stop, run_manager, **options))
            return
        has_usage = "stream_options" not in left_out
        said = ""
        for piece in super()._stream(sent, sent_stop, run_manager, stream_usage=has_usage, **options):
            said += piece.text
            yield piece
            if stop and not sent_stop and any(one in strip_thinking(said) for one in stop):
                return

    def _watched(
        self, messages: list[BaseMessage], pieces: Iterator[ChatGenerationChunk]
    ) -> Iterator[ChatGenerationChunk]:
        """Yield the pieces with the usage once, at the end, and warn of what a person should know.

        A reply that goes round in circles is cut: nothing else would end it before the context is full.
        """
        usage: UsageMetadata | None = None
        said = thought = ""
        calls, looked_at = False, 0
        for piece in pieces:
            message = piece.message
            if isinstance(message, AIMessageChunk):
                # Some providers send the sum so far with each piece, and sums must not be added up.
                usage, message.usage_metadata = message.usage_metadata or usage, None
                thought += str(message.additional_kwargs.get(THOUGHT, ""))
                said += piece.text
                calls |= bool(message.tool_call_chunks)
            yield piece
            if len(said) + len(thought) >= looked_at + _LOOK_EVERY:
                looked_at = len(said) + len(thought)
                if goes_round(said) or goes_round(thought):
                    logger.warning("a reply of the chat model %r went round in circles and was cut", self.model_name)
                    break
        if usage and usage["input_tokens"]:
            yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage))
            self._notice_cut(messages, usage["input_tokens"])
        self._has_called_tools |= calls
        if not calls and not strip_thinking(said).strip() and (thought or said.strip()):
            self._warn_once(
                "thought",
                f"the chat model {self.model_name!r} only thought and said nothing; let it write more, or turn its "
                'thinking off, as with FOLIO_CHAT_EXTRA_BODY={"enable_thinking": false}',
            )

    def _notice_cut(self, messages: list[BaseMessage], read: int) -> None:
        """Warn of a provider that read much less than it was sent, and send it less from now on."""
        sent = sum(approximate_tokens(str(message.text)) for message in messages)
        if sent >= CUT_MIN_TOKENS and read < CUT_SHARE * sent:
            self._warn_once(
                "cut",
                f"the chat model {self.model_name!r} read {read} tokens of a prompt of about {sent}: its server cuts "
                "prompts; give it a longer context, or set FOLIO_CONTEXT_TOKENS to what it reads",
            )
            self.window.shrink(sent, read)

    def _warn_once(self, about: str, warning: str) -> None:
        if about not in self._warned:
            self._warned.add(about)
            logger.warning(warning)

    def to_json(self) -> Any:
        """Return what observers may know of the model: its name, and neither address nor settings."""
        serialized = super().to_json()
        return {**serialized, "kwargs": {"model_name": self.model_name}}

    def _get_invocation_params(self, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        # For observers only; what is sent beside the messages may hold a key.
        shown: dict[str, Any] = SecretValues.of(self.settings).mask(super()._get_invocation_params(stop, **kwargs))
        return shown

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        left_out: frozenset[str] = kwargs.pop("left_out", frozenset())
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        if own := payload.get("extra_body"):
            payload["extra_body"] = {name: value for name, value in own.items() if name not in left_out}
        return {name: value for name, value in payload.items() if name not in left_out}

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        readable = readable_piece(chunk)
        if readable is None:
            return None
        piece = super()._convert_chunk_to_generation_chunk(readable, default_chunk_class, base_generation_info)
        if piece is not None and readable["choices"]:
            note_thought(piece.message, readable["choices"][0]["delta"])
        return piece

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        raw = response if isinstance(response, dict) else response.model_dump(warnings=False)
        if raw.get("choices") == []:
            raise ValueError("no choices in it")
        result = super()._create_chat_result(response, generation_info)
        for generation, choice in zip(result.generations, raw.get("choices") or (), strict=False):
            note_thought(generation.message, choice.get("message") or {})
        return result


def open_compatible_model(settings: Settings) -> CompatibleChatModel:
    """Return the model at the address of the settings; nothing is sent yet.

    Raises ModelError for a proxy in the environment that cannot be used.
    """
    name = settings.chat_model_name
    try:
        return CompatibleChatModel(
            settings=settings,
            model=name,
            base_url=base_url(settings),
            # Local servers ask for no key, but the client insists on one.
            api_key=settings.openai_api_key or (lambda: "none"),
            timeout=settings.chat_timeout_seconds,
            max_retries=MAX_RETRIES,
            stream_usage=True,
            extra_body=settings.chat_extra_body or None,
            **_direct_clients(settings),
        )
    except (ValueError, ImportError) as error:
        proxies = ", ".join(sorted(name for name in os.environ if name.lower() in _PROXY_NAMES))
        if not proxies:
            raise
        raise ModelError(
            f"the chat model {name!r} at {host_of(settings)} cannot be asked through the proxy in {proxies}: "
            "unset it, or name an http:// proxy"
        ) from error


def _direct_clients(settings: Settings) -> dict[str, Any]:
    """Return clients without a proxy for a server on this machine, which is not behind it."""
    url = settings.openai_base_url or OPENAI_URL
    if not ModelAddress("the chat model", url, "OPENAI_BASE_URL", None, "", "FOLIO_CHAT_MODEL").on_this_machine:
        return {}
    return {"http_client": httpx.Client(trust_env=False), "http_async_client": httpx.AsyncClient(trust_env=False)}
