"""Which chat model answers: the built-in one, or any behind an OpenAI-compatible address."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agent.settings import OFFLINE, Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from agent.quoting.quote import Quoter

OPENAI_URL = "https://api.openai.com/v1"
COMPLETIONS = "/chat/completions"
_BUILT_IN = "agent.models.offline.OfflineChatModel"
_COMPATIBLE = "agent.models.compatible.open_compatible_model"
"""Takes almost two seconds to import, and the built-in model does not need it."""


def open_chat_model(settings: Settings, quoter: "Quoter") -> "BaseChatModel":
    """Return the model that the settings name; nothing is sent yet.

    Raises ModelError for a proxy in the environment that cannot be used.
    """
    is_built_in = settings.chat_model_name == OFFLINE
    model: BaseChatModel
    model = resolve_name(_BUILT_IN)(quoter=quoter) if is_built_in else resolve_name(_COMPATIBLE)(settings)
    return model


def host_of(settings: Settings) -> str:
    """Return host and port of the model's address, without any path or password."""
    parts = urlsplit(settings.openai_base_url or OPENAI_URL)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def base_url(settings: Settings) -> str | None:
    """Return the address of the API; people also copy that of one call, with /chat/completions."""
    url = settings.openai_base_url
    return url.strip().rstrip("/").removesuffix(COMPLETIONS).rstrip("/") if url else None
