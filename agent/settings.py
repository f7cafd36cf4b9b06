"""All settings: from flags, the environment (`FOLIO_*`, `OPENAI_*`) and a `.env` file, the first that speaks wins."""

import difflib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import SettingsConfigDict
from pydantic_settings.exceptions import SettingsError as UnreadableValue

from agent.http_settings import HttpSettings
from preprocessing.errors import FolioError
from retrieval.settings import RetrievalSettings

OFFLINE = "offline"
OPENAI_DEFAULT_MODEL = "gpt-4.1-mini"
_OBSERVERS = ("LANGSMITH_", "LANGCHAIN_", "OTEL_")
AgentStyle = Literal["react", "tools"]


class SettingsError(FolioError):
    """A setting cannot be used; the message names it and shows a right one."""


class Settings(RetrievalSettings):
    """Everything a door needs to open the assistant."""

    model_config = SettingsConfigDict(validate_by_name=True)

    chat_model: str | None = None
    """Name of the model at `OPENAI_BASE_URL`, or `offline` for the built-in one that needs no server."""
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(None, validation_alias="OPENAI_BASE_URL")
    chat_timeout_seconds: float = Field(60, gt=0, allow_inf_nan=False)
    chat_extra_body: dict[str, Any] = Field(default_factory=dict)
    """What else to send with each request, as JSON, such as `{"enable_thinking": false}`."""
    context_tokens: int = Field(16_000, ge=1000)
    """Tokens that the chat model reads and writes at once; prompts are cut to fit."""
    agent_style: AgentStyle = "react"
    """How tools are called: in the text of a reply, or as native tool calls of models that have them."""

    top_k: int = Field(5, ge=1)
    """Passages that one search shows to the model."""
    max_iterations: int = Field(6, ge=1)
    """Model replies for one question; at the cap it is asked once more, for the answer."""
    max_searches: int = Field(3, ge=1)
    max_tokens: int = Field(60_000, ge=1)
    """Tokens of all prompts and replies for one question; at the limit the answer is made from what was found."""
    max_seconds: float = Field(180, gt=0, allow_inf_nan=False)
    """Time for one question, in the same way."""
    history_tokens: int = Field(1500, ge=0)
    """Approximate size of the conversation that the model is shown."""

    http: HttpSettings = HttpSettings()
    """`FOLIO_HTTP__PORT` and so on."""

    @field_validator("openai_base_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value.strip())
        # Reading the port raises ValueError for one that is no number or too large.
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError("must be a whole address, such as http://localhost:8000/v1")
        return value.strip().rstrip("/")

    @field_validator("openai_api_key")
    @classmethod
    def _fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        key = value.get_secret_value().strip() if value else ""
        if not key.isascii() or not key.isprintable():
            raise ValueError("must be the key alone, in plain letters, digits and signs")
        return SecretStr(key) if key else None

    @property
    def chat_model_name(self) -> str:
        """Return the model to chat with; `offline` unless a key or an address says otherwise.

        Raises SettingsError when an address is given without the name of a model.
        """
        if self.chat_model and self.chat_model.strip().lower() == OFFLINE:
            return OFFLINE
        if self.chat_model and not (self.openai_api_key or self.openai_base_url):
            raise SettingsError(
                f"FOLIO_CHAT_MODEL is {self.chat_model!r}, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set; "
                f"set one, or FOLIO_CHAT_MODEL={OFFLINE}"
            )
        if self.chat_model:
            return self.chat_model
        if self.openai_base_url:
            raise SettingsError("OPENAI_BASE_URL is set but FOLIO_CHAT_MODEL is not; set it to a model that server has")
        return OPENAI_DEFAULT_MODEL if self.openai_api_key else OFFLINE


def load_settings(env_file: Path = Path(".env"), **flags: Any) -> Settings:
    """Read the settings.

    What the file says to LangSmith and OpenTelemetry goes into the environment of the process, where they look; what
    stands there stays. Raises SettingsError in one line for a value that does not fit, for a `FOLIO_` name that does
    not exist, and for a `.env` file that cannot be read.
    """
    try:
        in_file = dotenv_values(env_file, encoding="utf-8") if env_file.is_file() else {}
        _check_names([*os.environ, *in_file])
        settings = Settings(_env_file=env_file, **flags)
    except UnicodeDecodeError:
        raise SettingsError(f"{env_file}: not UTF-8; save the file as UTF-8") from None
    except UnreadableValue as error:
        # It names the field in quotation marks.
        name = str(error).split('"')[1].upper()
        raise SettingsError(f'FOLIO_{name}: not JSON; a right value is {{"enable_thinking": false}}') from None
    except OSError as error:
        raise SettingsError(f"{env_file}: cannot be read ({error.strerror})") from None
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = "__".join(map(str, problem["loc"])).upper()
        name = name if name.startswith("OPENAI_") else f"FOLIO_{name}"
        message = problem["msg"].removeprefix("Value error, ")
        # An address may hold a password, and a key is a secret.
        given = problem["input"] if not name.startswith("OPENAI_") else None
        shown = f" (it is {given!r})" if isinstance(given, str) else ""
        raise SettingsError(f"{name}: {message[:1].lower()}{message[1:]}{shown}") from None
    if settings.home.exists() and not settings.home.is_dir():
        raise SettingsError(f"FOLIO_HOME: {settings.home} is a file; name a folder")
    for name, value in in_file.items():
        if name.startswith(_OBSERVERS) and value:
            os.environ.setdefault(name, value)
    return settings


def setting_names() -> list[str]:
    """Return every variable that Folio reads."""
    names: list[str] = []
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, BaseModel):
            names += [f"{name}__{inner}" for inner in type(field.default).model_fields]
        elif not field.validation_alias:
            names.append(name)
    return sorted(f"FOLIO_{name.upper()}" for name in names)


def _check_names(given: Sequence[str]) -> None:
    known = setting_names()
    for name in given:
        if name.upper().startswith("FOLIO_") and name.upper() not in known and not name.startswith("FOLIO_TEST_"):
            nearest = difflib.get_close_matches(name.upper(), known, n=1)
            hint = f"; did you mean {nearest[0]}?" if nearest else f"; the settings are {', '.join(known)}"
            raise SettingsError(f"there is no setting {name}{hint}")
