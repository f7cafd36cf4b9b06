"""Keys and passwords, known from the settings and the environment, which no trace may hold."""

import base64
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import BaseModel, SecretStr

MASK = "***"
_LEAST_KEY, _LEAST_OTHER = 4, 8
"""Characters below which a value is too common a word to be masked wherever it stands."""
_PLACEHOLDERS = frozenset("none null empty dummy fake ollama local no-key sk-no-key-required".split())
"""Where a server asks for no key, people write one of these."""
_SECRET_NAME = re.compile(r"(?:key|token|secret|passw(?:or)?d|auth\w*|credentials?)$", re.IGNORECASE)
_HEADERS_NAME = re.compile(r"_HEADERS$")
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
    def of(cls, settings: BaseModel, environment: Mapping[str, str] | None = None) -> "SecretValues":
        """Return those of the settings and of the environment, which is that of the process when none is given."""
        found = {*_of_settings(settings), *_of_environment(os.environ if environment is None else environment)}
        return cls(tuple(sorted(found, key=lambda value: (-len(value), value))))

    def mask(self, value: Any) -> Any:
        """Return a JSON value with the secrets masked in every text of it."""
        if isinstance(value, str):
            for secret in self.values:
                value = value.replace(secret, MASK)
            return value
        if isinstance(value, Mapping):
            return {key: self.mask(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.mask(one) for one in value]
        return value

    def mask_error(self, text: str) -> str:
        """Return the words of an error, which may repeat a request, without what is or looks like a secret."""
        kept = _IN_ERRORS.sub(lambda match: (match["before"] or match["name"] or match["scheme"]) + MASK, text)
        return str(self.mask(kept))


def _of_settings(settings: BaseModel) -> Iterator[str]:
    for name, value in settings:
        if isinstance(value, BaseModel):
            yield from _of_settings(value)
        elif isinstance(value, SecretStr):
            secret = value.get_secret_value().strip()
            yield from _in_address(secret) if "://" in secret else _long(secret, _LEAST_KEY)
        else:
            yield from _in_value(name, value)


def _in_value(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _in_value(str(key), one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _in_value(name, one)
    elif isinstance(value, str) and "://" in value:
        yield from _in_address(value)
    elif isinstance(value, str) and _SECRET_NAME.search(name):
        yield from _long(value.strip(), _LEAST_KEY)
        yield from _long(value.strip().rpartition(" ")[2], _LEAST_OTHER)


def _of_environment(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        if "://" in value:
            yield from _in_address(value)
        elif _HEADERS_NAME.search(name):
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
