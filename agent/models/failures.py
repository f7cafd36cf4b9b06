"""What a provider says goes wrong becomes a ModelError that names the setting to mend."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import openai

from agent.models.chat import COMPLETIONS, OPENAI_URL, base_url, host_of
from agent.models.errors import ContextOverflow, ModelError, ModelTimeout
from agent.settings import Settings

logger = logging.getLogger(__name__)

_OVERFLOW = re.compile(
    r"context[ _-]?(?:length|window|size|limit)|n_ctx|maximum (?:context|input|prompt)|too many tokens"
    r"|(?:input|prompt|tokens?|messages?)[^.]{0,40}(?:exceeds?|longer than|too long)"
    r"|exceed\w*[^.]{0,40}(?:context|tokens?)"
    r"|range of input length|input length|上下文|输入[^。]{0,8}(?:过长|超长|超过|长度)|(?:token|tokens)[^。]{0,6}超",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:context[ _-]?(?:length|window|size)|n_ctx|max\w*|limit|上限|最大|不超过|最多)[^\d]{0,24}(\d[\d,]{2,8})", re.I
)


@contextmanager
def model_errors(settings: Settings) -> Iterator[None]:
    """Turn what goes wrong with a reply into ModelError, which names the address, the model and the setting to mend."""
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
            f"and that OPENAI_BASE_URL ends in /v1 (asked {_asked(settings)})"
        ) from error
    except openai.RateLimitError as error:
        raise ModelError(
            f"{place} is busy or the quota is used up ({_short(error, settings)}); try again later"
        ) from error
    except openai.OpenAIError as error:
        if is_overflow(error):
            raise ContextOverflow(
                f"{place} does not read a prompt of this length ({_short(error, settings)}); "
                "set FOLIO_CONTEXT_TOKENS to what it reads",
                limit_of(str(error)),
            ) from error
        raise ModelError(f"{place} failed: {_short(error, settings)}{_hint(error)}") from error
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        if said := _said_under_200(error):
            raise ModelError(f"{place} failed: {_short(said, settings)}") from error
        # What langchain-openai raises for replies without choices, errors under status 200, and web pages.
        logger.debug("unreadable reply", exc_info=True)
        raise ModelError(
            f"{place} sent no chat completion ({_short(error, settings)}); check that OPENAI_BASE_URL ends in /v1"
        ) from error


def is_overflow(error: Exception) -> bool:
    """Say whether a provider's error means that the prompt was too long."""
    return bool(_OVERFLOW.search(str(error)))


def limit_of(message: str) -> int | None:
    """Return the tokens that a model reads, as its error says them."""
    found = _LIMIT.search(message)
    return int(found[1].replace(",", "")) if found else None


def without_key(text: str, settings: Settings) -> str:
    """Return the text with the key masked, for providers that send it back in their errors."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    return text.replace(key, "***") if key else text


def _asked(settings: Settings) -> str:
    """Return the address that was asked, without a password or a query."""
    parts = urlsplit(base_url(settings) or OPENAI_URL)
    return urlunsplit((parts.scheme, host_of(settings), f"{parts.path}{COMPLETIONS}", "", ""))


def _hint(error: Exception) -> str:
    """Return what helps with refusals that another setting mends."""
    about_thinking = re.search(r"enable_thinking|thinking_budget", str(error))
    return '; set FOLIO_CHAT_EXTRA_BODY={"enable_thinking": false}' if about_thinking else ""


def _said_under_200(error: Exception) -> str:
    """Return what a provider says of an error that it sent as if it were a reply."""
    told = error.args[0] if error.args else None
    return str(told.get("message") or "") if isinstance(told, dict) else ""


def _short(error: Exception | str, settings: Settings) -> str:
    return " ".join(without_key(str(error), settings).split())[:200]
