"""Who may see how answers come about: LangSmith and OpenTelemetry where their own variables say so; nobody a secret."""

import base64
import importlib.util
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import BaseModel, SecretStr

from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from langsmith import Client

_PREFIXES = ("LANGSMITH_", "LANGCHAIN_")
_TRUE = ("true", "1")
_OPENTELEMETRY = ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")
_MASK = "***"
_LEAST_KEY, _LEAST_OTHER = 4, 8
"""Characters below which a value is too common a word to be masked wherever it stands."""
_PLACEHOLDERS = frozenset("none null empty dummy fake ollama local no-key sk-no-key-required".split())
"""Where a server asks for no key, people write one of these."""
_SECRET_NAME = re.compile(r"(?:key|token|secret|passw(?:or)?d|auth\w*|credentials?)$", re.IGNORECASE)
_IN_ERRORS = re.compile(
    r"(?P<before>://)[^\s/@'\"]+(?=@)"
    r"|(?P<name>\b(?:[\w-]*(?:api[-_]?key|access[-_]?key|token|secret|password)|(?:proxy-)?authorization)[\"']?\s*[:=]\s*"
    r"(?:[\"']?(?:bearer|basic)\s+)?[\"']?)[^\s\"',;}&]+"
    r"|(?P<scheme>\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}",
    re.IGNORECASE,
)
"""What looks like a secret in the words of a server, whoever it belongs to."""


@dataclass(frozen=True, slots=True)
class SecretValues:
    """Values to mask, the longest first: one may be a part of another."""

    values: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: BaseModel) -> "SecretValues":
        """Return those of the settings and of the environment."""
        found = {*_in_value("", settings), *_in_environment()}
        return cls(tuple(sorted(found, key=lambda value: (-len(value), value))))

    def mask(self, value: Any) -> Any:
        """Return a JSON value with the secrets masked in every text of it."""
        if isinstance(value, str):
            for secret in self.values:
                value = value.replace(secret, _MASK)
            return value
        if isinstance(value, Mapping):
            return {key: self.mask(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.mask(one) for one in value]
        return value

    def mask_error(self, text: str) -> str:
        """Return the words of an error, which may repeat a request, without what is or looks like a secret."""
        kept = _IN_ERRORS.sub(lambda match: (match["before"] or match["name"] or match["scheme"]) + _MASK, text)
        return str(self.mask(kept))


class NotObservable(FolioError):
    """The variables of LangSmith or OpenTelemetry ask for what cannot be."""


def check_observable() -> None:
    """Raise NotObservable where OpenTelemetry is asked for and not installed.

    LangSmith's client would say so in a warning and send everything to LangSmith instead.
    """
    if _is_on() and _wants_opentelemetry() and not _has_opentelemetry():
        raise NotObservable(
            "LANGSMITH_TRACING_MODE or LANGSMITH_OTEL_ENABLED asks for OpenTelemetry, which is not installed: "
            "pip install 'folio[otel]', or unset it"
        )


def open_observer(hidden: SecretValues) -> "Client | None":
    """Return the client that questions are told to, with the secrets masked; None where nobody asked for it.

    Raises NotObservable for variables that cannot be used.
    """
    check_observable()
    if not _is_on():
        return None
    # Imported late: almost nobody needs it.
    from langsmith import Client
    from langsmith.utils import LangSmithUserError

    def masked(told: dict[str, Any]) -> dict[str, Any]:
        return {key: hidden.mask_error(value) if key == "error" else hidden.mask(value) for key, value in told.items()}

    try:
        return Client(anonymizer=masked)
    except LangSmithUserError as error:
        raise NotObservable(f"LangSmith: {' '.join(str(error).split())}") from error


@contextmanager
def observed_by(client: "Client | None") -> Iterator[None]:
    """Tell the client of everything that LangChain runs in the block."""
    if client is None:
        yield
        return
    from langchain_core.tracers.context import tracing_v2_enabled

    with tracing_v2_enabled(client=client):
        yield


def _in_value(name: str, value: Any) -> Iterator[str]:
    """Yield what is secret in the settings, or in one of that name."""
    if isinstance(value, SecretStr):
        name, value = "secret", value.get_secret_value()
    if isinstance(value, BaseModel | Mapping):
        for key, one in dict(value).items():
            yield from _in_value(str(key), one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _in_value(name, one)
    elif isinstance(value, str) and "://" in value:
        yield from _in_address(value)
    elif isinstance(value, str) and _SECRET_NAME.search(name):
        yield from _long(value.strip(), _LEAST_KEY)
        yield from _long(value.strip().rpartition(" ")[2], _LEAST_OTHER)


def _in_environment() -> Iterator[str]:
    for name, value in os.environ.items():
        if "://" in value:
            yield from _in_address(value)
        elif name.endswith("_HEADERS"):
            for header in value.split(","):
                yield from _long(unquote(header.partition("=")[2]).strip(), _LEAST_OTHER)
        elif _SECRET_NAME.search(name):
            yield from _long(value.strip(), _LEAST_OTHER)


def _in_address(address: str) -> Iterator[str]:
    """Yield the user with the password of an address, and its password and secret parameters where they are long."""
    try:
        parts = urlsplit(address.strip())
        user, at, _ = parts.netloc.rpartition("@")
        password = user.partition(":")[2]
        parameters = parse_qsl(parts.query)
    except ValueError:
        # It is no address, and whoever opens it says so.
        return
    if at and password:
        yield f"{user}@"
        # The form in which a header carries it.
        yield base64.b64encode(unquote(user).encode()).decode()
        for form in {password, unquote(password)}:
            yield from _long(form, _LEAST_OTHER)
    elif at:
        yield from _long(user, _LEAST_OTHER)
    for name, value in parameters:
        if _SECRET_NAME.search(name):
            yield from _long(value, _LEAST_OTHER)


def _long(value: str, least: int) -> Iterator[str]:
    if len(value) >= least and value.casefold() not in _PLACEHOLDERS:
        yield value


def _is_on() -> bool:
    # As LangSmith reads it: the newer name first, and nothing but "true" means yes.
    return (_said("TRACING_V2").strip() or _said("TRACING").strip()) == "true"


def _wants_opentelemetry() -> bool:
    mode = _said("TRACING_MODE").lower()
    wanted = {_said(name).lower() for name in ("OTEL_ENABLED", "OTEL_ONLY")}
    return mode in ("otel", "hybrid") or (not mode and not wanted.isdisjoint(_TRUE))


def _said(name: str) -> str:
    return next((value for prefix in _PREFIXES if (value := os.environ.get(f"{prefix}{name}", ""))), "")


def _has_opentelemetry() -> bool:
    try:
        return all(importlib.util.find_spec(name) for name in _OPENTELEMETRY)
    except ModuleNotFoundError:
        return False
