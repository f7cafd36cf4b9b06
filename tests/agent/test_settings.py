import os
from pathlib import Path
from typing import Any

import pytest

from agent.settings import Settings, SettingsError, load_settings, setting_names


def test_flags_win_over_the_environment_and_that_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "# 设置\nFOLIO_HOME=知识库\nFOLIO_TOP_K=2\nFOLIO_MAX_SEARCHES=2\nFOLIO_RRF_K=2\nOTHER_TOOL=x\n"
    Path(".env").write_text(lines, encoding="utf-8")
    monkeypatch.setenv("FOLIO_TOP_K", "3")
    monkeypatch.setenv("FOLIO_MAX_SEARCHES", "3")
    settings = load_settings(top_k=4)
    assert (settings.top_k, settings.max_searches, settings.rrf_k, settings.home) == (4, 3, 2, Path("知识库"))


def test_an_empty_value_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIO_TOP_K", "")
    assert load_settings().top_k == 5


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "FOLIO_CHUNKING__MAX_CHAR",
            "3",
            "there is no setting FOLIO_CHUNKING__MAX_CHAR; did you mean FOLIO_CHUNKING__MAX_CHARS?",
        ),
        ("FOLIO_TOP_K", "0", "FOLIO_TOP_K: input should be greater than or equal to 1 (it is '0')"),
        (
            "FOLIO_TOP_K",
            "五",
            "FOLIO_TOP_K: input should be a valid integer, unable to parse string as an integer (it is '五')",
        ),
        (
            "FOLIO_CHUNKING__PIECE_CHARS",
            "2000",
            "FOLIO_CHUNKING: piece_chars (2000) must not be above max_chars (1200)",
        ),
        (
            "OPENAI_BASE_URL",
            "user:word@host/v1",
            "OPENAI_BASE_URL: must be a whole address, such as http://localhost:8000/v1",
        ),
        ("OPENAI_BASE_URL", "http://host:99999", "OPENAI_BASE_URL: port out of range 0-65535"),
        (
            "OPENAI_API_KEY",
            "sk-1\nsk-2",
            "OPENAI_API_KEY: must be the key alone, in plain letters, digits and signs",
        ),
    ],
)
def test_what_cannot_be_used_is_one_line(monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value) == message


def test_a_name_like_no_other_lists_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIO_QQQQQQQQ", "x")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value) == f"there is no setting FOLIO_QQQQQQQQ; the settings are {', '.join(setting_names())}"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read() -> None:
    Path(".env").touch(mode=0)
    with pytest.raises(SettingsError, match=r"^\.env: cannot be read \(Permission denied\)$"):
        load_settings()


def test_an_address_needs_the_name_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", " http://localhost:8000/v1/ ")
    settings = load_settings()
    assert settings.openai_base_url == "http://localhost:8000/v1"
    with pytest.raises(SettingsError, match=r"^OPENAI_BASE_URL is set but FOLIO_CHAT_MODEL is not; "):
        _ = settings.chat_model_name


def test_the_key_is_not_shown() -> None:
    given: dict[str, Any] = {"openai_api_key": "sk-1234", "qdrant_api_key": "qd-1234"}
    settings = Settings(**given)
    assert "1234" not in repr(settings) + str(settings) + settings.model_dump_json()
