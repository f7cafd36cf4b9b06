"""Which chat model answers: the built-in one, or any behind an OpenAI-compatible address."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agent.settings import OFFLINE, Settings
from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from agent.quote import Quoter

logger = logging.getLogger(__name__)

MAX_RETRIES = 2


class ModelError(FolioError):
    """The chat model could not be reached or refused the request."""


class ModelTimeout(ModelError):
    """The chat model took too long."""


def open_chat_model(settings: Settings, quoter: "Quoter") -> "BaseChatModel":
    """Return the model that the settings name; nothing is sent yet."""
    name = settings.chat_model_name
    if name == OFFLINE:
        from agent.offline import OfflineChatModel

        return OfflineChatModel(quoter=quoter)
    # Takes almost two seconds to import, and the built-in model does not need it.
    from agent.compatible_model import CompatibleChatModel

    return CompatibleChatModel(
        settings=settings,
        model=name,
        base_url=settings.openai_base_url,
        # Local servers ask for no key, but the client insists on one.
        api_key=settings.openai_api_key or (lambda: "none"),
        timeout=settings.chat_timeout_seconds,
        max_retries=MAX_RETRIES,
        stream_usage=True,
    )


@contextmanager
def model_errors(settings: Settings) -> Iterator[None]:
    """Turn what goes wrong with a reply into ModelError, which names the address, the model and the setting to mend."""
    import openai

    place = f"the chat model {settings.chat_model_name!r} at {host_of(settings)}"
    try:
        yield
    except openai.APITimeoutError as error:
        seconds = settings.chat_timeout_seconds
        raise ModelTimeout(f"{place} did not answer in {seconds:g} s; see FOLIO_CHAT_TIMEOUT_SECONDS") from error
    except openai.APIConnectionError as error:
        raise ModelError(f"{place} cannot be reached; check OPENAI_BASE_URL") from error
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise ModelError(f"{place} refused the key; check OPENAI_API_KEY") from error
    except openai.NotFoundError as error:
        raise ModelError(
            f"{place} was not found ({_short(error, settings)}); check FOLIO_CHAT_MODEL, "
            "and that OPENAI_BASE_URL ends in /v1"
        ) from error
    except openai.RateLimitError as error:
        raise ModelError(
            f"{place} is busy or the quota is used up ({_short(error, settings)}); try again later"
        ) from error
    except openai.OpenAIError as error:
        raise ModelError(f"{place} failed: {_short(error, settings)}") from error
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        # What langchain-openai raises for replies without choices, errors under status 200, and web pages.
        logger.debug("unreadable reply", exc_info=True)
        raise ModelError(
            f"{place} sent no chat completion ({_short(error, settings)}); check that OPENAI_BASE_URL ends in /v1"
        ) from error


def without_key(text: str, settings: Settings) -> str:
    """Return the text with the key masked, for providers that send it back in their errors."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    return text.replace(key, "***") if key else text


def host_of(settings: Settings) -> str:
    """Return host and port of the model's address, without any path or password."""
    parts = urlsplit(settings.openai_base_url or "https://api.openai.com/v1")
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def _short(error: Exception, settings: Settings) -> str:
    return " ".join(without_key(str(error), settings).split())[:200]
