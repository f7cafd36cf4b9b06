import pytest

from agent.http.middleware import is_loopback
from agent.http_settings import HttpSettings
from agent.settings import SettingsError, load_settings


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("LOCALHOST", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("127.0.0.1.example.org", False),
        ("localhost.example.org", False),
        ("folio", False),
        ("", False),
    ],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIO_HTTP__PORT", "9000")
    monkeypatch.setenv("FOLIO_HTTP__CORS_ORIGINS", "https://a.example, http://b.example:8080")
    http = load_settings().http
    assert (http.host, http.port, http.origins) == ("127.0.0.1", 9000, ("https://a.example", "http://b.example:8080"))
    assert HttpSettings().origins == ()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PORT", "70000", "FOLIO_HTTP__PORT: input should be less than or equal to 65535 (it is '70000')"),
        ("PRT", "1", "there is no setting FOLIO_HTTP__PRT; did you mean FOLIO_HTTP__PORT?"),
        ("CORS_ORIGINS", "*", "FOLIO_HTTP__CORS_ORIGINS: must be origins parted by commas, such as https://"),
        ("CORS_ORIGINS", "https://a.example/", "FOLIO_HTTP__CORS_ORIGINS: must be origins"),
        ("MAX_UPLOAD_MB", "0", "FOLIO_HTTP__MAX_UPLOAD_MB: input should be greater than or equal to 1"),
    ],
)
def test_a_mistake_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str) -> None:
    monkeypatch.setenv(f"FOLIO_HTTP__{name}", value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
