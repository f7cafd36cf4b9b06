"""LangSmith and OpenTelemetry see questions where their own variables say so, and never a secret."""

import importlib.util
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from agent.traces.secret_values import SecretValues
from preprocessing.errors import FolioError

if TYPE_CHECKING:
    from langsmith import Client

_PREFIXES = ("LANGSMITH_", "LANGCHAIN_")
_TRUE = ("true", "1")


class NotObservable(FolioError):
    """The variables of LangSmith or OpenTelemetry ask for what cannot be."""


def check_observable(environment: Mapping[str, str] | None = None) -> None:
    """Raise NotObservable where OpenTelemetry is asked for and not installed.

    LangSmith's client would say so in a warning and send everything to LangSmith instead.
    """
    given = os.environ if environment is None else environment
    if _is_on(given) and _wants_opentelemetry(given) and not _has_opentelemetry():
        raise NotObservable(
            "LANGSMITH_TRACING_MODE or LANGSMITH_OTEL_ENABLED asks for OpenTelemetry, which is not installed: "
            "pip install 'folio[otel]', or unset it"
        )


def open_observer(hidden: SecretValues) -> "Client | None":
    """Return the client that questions are told to, with the secrets masked; None where nobody asked for it.

    Raises NotObservable for variables that cannot be used.
    """
    check_observable()
    if not _is_on(os.environ):
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


def _is_on(environment: Mapping[str, str]) -> bool:
    # As LangSmith reads it: the newer name first, and nothing but "true" means yes.
    names = [f"{prefix}{name}" for name in ("TRACING_V2", "TRACING") for prefix in _PREFIXES]
    return next((environment[name] for name in names if environment.get(name, "").strip()), "") == "true"


def _wants_opentelemetry(environment: Mapping[str, str]) -> bool:
    def said(name: str) -> str:
        return next((value for prefix in _PREFIXES if (value := environment.get(f"{prefix}{name}", ""))), "").lower()

    mode = said("TRACING_MODE")
    return mode in ("otel", "hybrid") or (not mode and (said("OTEL_ENABLED") in _TRUE or said("OTEL_ONLY") in _TRUE))


def _has_opentelemetry() -> bool:
    try:
        return all(
            importlib.util.find_spec(name)
            for name in ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")
        )
    except ModuleNotFoundError:
        return False
