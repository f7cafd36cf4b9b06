import os

import pytest

from agent.settings import Settings
from agent.traces.observed import SecretValues

SETTINGS = Settings(
    openai_api_key="sk-openai-1",  # type: ignore[arg-type]
    openai_base_url="https://me:hunter2@models.example/v1?api_key=query-secret",
    chat_model="m",
    chat_extra_body={"headers": {"X-Api-Key": "extra-secret", "Authorization": "Bearer bearer-secret"}, "top": "plain"},
    embed_api_key="sk-embed",  # type: ignore[arg-type]
    rerank_api_key="abc",  # type: ignore[arg-type]
    qdrant_api_key="sk-openai-1-longer",  # type: ignore[arg-type]
    qdrant_url="http://user:pass@qdrant:6333",
    database_url="postgresql+psycopg://folio:p%40ssw0rd-long@db/folio",  # type: ignore[arg-type]
)
ENVIRONMENT = {
    "HTTPS_PROXY": "http://agent:proxy-word@proxy:3128",
    "LANGSMITH_API_KEY": "lsv2_secret",
    "OTEL_EXPORTER_OTLP_HEADERS": "x-key=otel-secret,other=short",
    "GITHUB_TOKEN": "ghp_0123456789",
    "KEYBOARD": "a keyboard",
    "A_KEY": "short",
}
with pytest.MonkeyPatch.context() as patched:
    patched.setattr(os, "environ", ENVIRONMENT)
    SECRETS = SecretValues.of(SETTINGS)


@pytest.mark.parametrize(
    "secret",
    [
        *("sk-openai-1", "me:hunter2@", "query-secret", "extra-secret", "Bearer bearer-secret", "bearer-secret"),
        *("sk-embed", "sk-openai-1-longer", "user:pass@", "folio:p%40ssw0rd-long@", "p@ssw0rd-long", "p%40ssw0rd-long"),
        *("agent:proxy-word@", "proxy-word", "bWU6aHVudGVyMg==", "lsv2_secret", "otel-secret", "ghp_0123456789"),
    ],
)
def test_a_secret_is_masked_wherever_it_stands(secret: str) -> None:
    given = {"text": f"密钥{secret}。", "list": [{"deep": (secret, 1, None)}]}
    assert SECRETS.mask(given) == {"text": "密钥***。", "list": [{"deep": ["***", 1, None]}]}


@pytest.mark.parametrize(
    ("error", "masked"),
    [
        ("at http://someone:else@host/v1 failed", "at http://***@host/v1 failed"),
        ("{'Authorization': 'Bearer abcdefghij'}", "{'Authorization': 'Bearer ***'}"),
        ("x-api-key: abc, then", "x-api-key: ***, then"),
        ('"api_key": "q1w2", "model": "m"', '"api_key": "***", "model": "m"'),
        ("Incorrect token=zzz&more", "Incorrect token=***&more"),
        ("sent Bearer eyJhbGciOi.JIUzI1", "sent Bearer ***"),
        ("no token was given; the basic plan", "no token was given; the basic plan"),
        ("the key sk-embed was refused", "the key *** was refused"),
    ],
)
def test_an_error_may_hold_a_secret_of_somebody_else(error: str, masked: str) -> None:
    assert SECRETS.mask_error(error) == masked
