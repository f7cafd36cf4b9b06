"""A server is asked again where that helps, and every failure is one line that names what to mend."""

import time
from email.utils import formatdate
from typing import Any

import pytest

from retrieval.remote.address import EndpointBusy, EndpointError, RequestRefused
from retrieval.remote.endpoint import BRISK, PATIENT, Patience
from tests.retrieval.remote.model_server import KEY, ModelServer, Raw, endpoint, one_after_another

BODY = {"input": ["年假"]}
GOOD = {"data": 1}


def asked(answer: Any, waits: list[float] | None = None, patience: Patience = PATIENT) -> Any:
    with ModelServer(one_after_another(answer)) as server:
        return endpoint(server.url(), waits).post(BODY, patience)


def test_a_request_is_json_with_the_key() -> None:
    with ModelServer(one_after_another(GOOD)) as server:
        assert endpoint(server.url()).post(BODY) == GOOD
        assert endpoint(server.url("/v1/embeddings?api-version=1"), key=None).post(BODY) == GOOD
    assert server.bodies == [BODY, BODY]
    assert server.paths == ["/v1/embeddings", "/v1/embeddings?api-version=1"]
    assert [headers["Authorization"] for headers in server.headers] == [f"Bearer {KEY}", None]
    assert server.headers[0]["Content-Type"] == "application/json"


def test_it_waits_as_long_as_it_is_told() -> None:
    waits: list[float] = []
    dates = [formatdate(time.time() + wait, usegmt=True) for wait in (100, -100)]
    told = ["2", "0.25", "soon", "", *dates]
    busy = [Raw(429, {"error": {"message": "slow down"}}, {"Retry-After": header}) for header in told]
    with ModelServer(one_after_another(*busy, GOOD)) as server:
        assert endpoint(server.url(), waits).post(BODY, PATIENT) == GOOD
    # By its own count, the third and fourth wait.
    assert waits[:4] == [2, 0.25, 2, 4]
    assert 60 < waits[4] <= 100
    assert waits[5] == 0


@pytest.mark.parametrize(
    ("answer", "patience", "tries"),
    [
        (Raw(503, "busy"), PATIENT, 8),
        (Raw(503, "busy"), BRISK, 3),
        (Raw(429, "busy", {"Retry-After": "6"}), BRISK, 1),
        (Raw(429, "busy", {"Retry-After": "3600"}), PATIENT, 1),
        (Raw(429, {"error": {"code": "insufficient_quota", "message": "pay"}}), PATIENT, 1),
        (Raw(429, {"error": {"code": "1113", "message": "账户余额不足"}}), PATIENT, 1),
        (Raw(401, ""), PATIENT, 1),
        (Raw(400, ""), PATIENT, 1),
        (Raw(200, "<html>"), PATIENT, 1),
        (Raw(200, "{}", cut=True), PATIENT, 8),
    ],
)
def test_it_gives_up(answer: Raw, patience: Patience, tries: int) -> None:
    with ModelServer(one_after_another(answer)) as server, pytest.raises(EndpointError):
        endpoint(server.url()).post(BODY, patience)
    assert len(server.bodies) == tries


def test_a_server_that_was_given_up_on_is_asked_once_until_it_answers() -> None:
    busy = Raw(503, "busy")
    with ModelServer(one_after_another(*[busy] * 4, GOOD, busy, GOOD)) as server:
        model = endpoint(server.url())
        for requests in (3, 4):
            with pytest.raises(EndpointBusy):
                model.post(BODY, BRISK)
            assert len(server.bodies) == requests
        assert model.post(BODY, BRISK) == GOOD
        assert model.post(BODY, BRISK) == GOOD
        assert len(server.bodies) == 7


def test_a_server_that_hangs_is_not_waited_for() -> None:
    def hang(_body: Any) -> Any:
        time.sleep(0.3)
        return GOOD

    with ModelServer(hang) as server, pytest.raises(EndpointBusy) as slow:
        endpoint(server.url(), timeout_seconds=0.05).post(BODY, BRISK)
    assert str(slow.value).partition(server.host)[2].startswith(" did not answer in 0.05 s")


REFUSED = {"error": {"code": "InvalidParameter", "message": "at most\n10 inputs"}}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Raw(401, {"error": {"message": f"wrong {KEY}"}}), "refused the key (wrong ***): check FOLIO_X_KEY"),
        (Raw(403, ""), "refused the key (Forbidden): check FOLIO_X_KEY"),
        (Raw(404, {"detail": "Not Found"}), "was not found (Not Found): check FOLIO_X_MODEL, and FOLIO_X_URL, which "),
        (
            Raw(405, "<html>405</html>"),
            "was not found (a web page): check FOLIO_X_MODEL, and FOLIO_X_URL, which often ",
        ),
        (Raw(400, REFUSED), "refused the request (at most 10 inputs)"),
        (Raw(422, {"detail": [{"loc": ["body"], "msg": "too long"}]}), "refused the request (too long)"),
        (Raw(413, "Payload Too Large"), "refused the request (Payload Too Large)"),
        (Raw(402, {"message": "no balance"}), "answered 402 (no balance)"),
        (Raw(429, {"msg": "pay: insufficient balance"}), "answered 429 (pay: insufficient balance)"),
        (Raw(301, "", {"Location": "https://a.example/v1"}), "has moved to https://a.example/v1: correct FOLIO_X_URL"),
        (Raw(200, "<!doctype html><p>Hello"), "answered with a web page: FOLIO_X_URL must be the address of the API, "),
        (Raw(200, "hello"), "sent no usable answer (hello); check FOLIO_X_URL"),
        (Raw(200, ""), "sent no usable answer (OK); check FOLIO_X_URL"),
        (Raw(200, {"error": {"message": "账户余额不足"}}), "sent no usable answer (账户余额不足); check FOLIO_X_URL"),
        (Raw(500, {"error": "CUDA"}), "is busy or failing: it answered 500 (CUDA)"),
    ],
)
def test_a_failure_is_one_line(answer: Raw, message: str) -> None:
    with ModelServer(one_after_another(answer)) as server, pytest.raises(EndpointError) as failed:
        endpoint(server.url()).post(BODY, BRISK)
    assert str(failed.value).startswith(f"the model 'm' at {server.host} {message}")
    assert "\n" not in str(failed.value)
    assert KEY not in str(failed.value)


def test_the_address_that_was_tried_is_shown_without_its_secrets_and_a_missing_key_is_to_be_set() -> None:
    with ModelServer(one_after_another(Raw(401, ""), Raw(404, ""))) as server:
        with pytest.raises(EndpointError, match=r"set FOLIO_X_KEY$"):
            endpoint(server.url(), key=None).post(BODY)
        url = server.url("/embeddings?token=word").replace("http://", "http://me:word@")
        with pytest.raises(EndpointError) as failed:
            endpoint(url).post(BODY)
    assert f"which often ends in /v1 (asked http://{server.host}/embeddings)" in str(failed.value)
    assert "word" not in str(failed.value)


@pytest.mark.parametrize(
    ("said", "about_length"),
    [
        ("the input length exceeds the context length", True),
        ("Input validation error: `inputs` must have less than 512 tokens. Given: 1234", True),
        ("输入过长", True),
        ("input must be less than 512 tokens", True),
        ("at most 10 inputs per request", False),
        ("batch size is invalid, it should not be larger than 10.", False),
    ],
)
def test_a_refusal_says_whether_it_is_about_length(said: str, about_length: bool) -> None:
    with pytest.raises(RequestRefused) as refused:
        asked(Raw(400, {"error": {"message": said}}))
    assert refused.value.about_length is about_length


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "ftp://a/v1", "http://", "http://a:port/v1", "http://[::1/v1", ""]
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(EndpointError) as wrong:
        endpoint(url)
    assert str(wrong.value) == "FOLIO_X_URL must be a whole address, such as http://localhost:8000/v1"


@pytest.mark.parametrize("proxy", ["socks://127.0.0.1:7890", "socks5://127.0.0.1:7890"])
def test_a_proxy_that_cannot_be_used(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALL_PROXY", proxy)
    assert asked(GOOD) == GOOD
    with pytest.raises(EndpointError) as wrong:
        endpoint("https://api.example.com/v1").post(BODY)
    assert str(wrong.value).startswith(
        "the model 'm' at api.example.com cannot be asked through the proxy in ALL_PROXY ("
    )
    assert str(wrong.value).endswith("): unset it, or name an http:// proxy")
