"""What can be said of the container files without a container engine."""

import json
import re
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent.http import probe
from agent.settings import setting_names

ROOT = Path(__file__).parents[1]
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
SERVICE_KEYS = set(
    "build cap_add cap_drop command configs container_name depends_on deploy entrypoint env_file environment expose "
    "extra_hosts healthcheck hostname image init labels logging networks pid ports profiles read_only restart secrets "
    "security_opt shm_size stop_grace_period stop_signal sysctls tmpfs ulimits user volumes working_dir".split()
)
HEALTH_KEYS = {"test", "interval", "timeout", "retries", "start_period"}
CONFINED = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}


def compose(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    return loaded


def lines_of(instruction: str) -> list[str]:
    """Return the arguments of each instruction of that name."""
    return re.findall(rf"^{instruction} (.*)$", CONTAINERFILE, re.MULTILINE)


@pytest.mark.parametrize("name", ["compose.yaml", "compose.qdrant.yaml"])
def test_a_compose_file_names_nothing_that_is_not_there(name: str) -> None:
    loaded = compose(name)
    assert {key for key in loaded if not key.startswith("x-")} <= {"name", "services", "volumes", "networks", "secrets"}
    for service, of in loaded["services"].items():
        assert set(of) <= SERVICE_KEYS, service
        assert ("build" in of) or re.fullmatch(r"[a-z0-9./-]+:v?\d[\w.-]*", of["image"]), service
        assert set(of.get("depends_on", ())) <= set(loaded["services"])
        assert set(of.get("healthcheck", ())) <= HEALTH_KEYS
        for volume in of.get("volumes", ()):
            assert volume.split(":")[0] in loaded["volumes"], volume
        for port in of.get("ports", ()):
            assert port.startswith("127.0.0.1:"), "nothing is open to other machines without being asked"
        for variable, value in of.get("environment", {}).items():
            assert isinstance(value, str), variable
            if re.search(r"KEY|PASSWORD", variable):
                assert re.fullmatch(r"\$\{[A-Z_]+:\?[^}]+\}", value), (
                    f"{variable} must be given, and by the environment"
                )


def test_the_services_have_no_more_rights_than_they_need() -> None:
    for service, of in compose("compose.yaml")["services"].items():
        assert {key: of[key] for key in CONFINED} == CONFINED, service
        assert any(place.startswith("/tmp") for place in of["tmpfs"]), service
        assert "cap_add" not in of
        assert "privileged" not in of
    services = compose("compose.yaml")["services"]
    assert services["folio"]["depends_on"]["postgres"] == {"condition": "service_healthy"}
    assert all("healthcheck" in services[name] for name in ("qdrant", "postgres"))
    assert services["folio"]["build"] == {"context": ".", "dockerfile": "Containerfile"}


def test_every_setting_that_they_name_is_one() -> None:
    known = set(setting_names())
    given = set(compose("compose.yaml")["services"]["folio"]["environment"])
    given |= set(re.findall(r"\b(FOLIO_\w+)=", CONTAINERFILE))
    assert given == known & given
    assert {"FOLIO_HOME", "FOLIO_HTTP__HOST", "FOLIO_QDRANT_URL", "FOLIO_DATABASE_URL"} <= given


def test_the_image_is_made_of_what_is_there() -> None:
    copied = [part.split()[:-1] for part in lines_of("COPY") if not part.startswith("--from")]
    sources = [name for part in copied for name in part]
    for name in sources:
        assert (ROOT / name).exists(), name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) <= set(sources)
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert set(sources) == let_in
    # Nobody may do anything as root, and the state is in the volume.
    assert lines_of("USER") == ["10001:10001"]
    assert lines_of("VOLUME") == ["/data"]
    assert "FOLIO_HOME=/data" in CONTAINERFILE
    (check,) = re.findall(r"^HEALTHCHECK .*CMD (\[.*\])$", CONTAINERFILE, re.MULTILINE)
    assert json.loads(check) == ["python", "-m", probe.__name__]


@pytest.fixture
def answers() -> Iterator[list[int]]:
    """Return the statuses that a server on FOLIO_HTTP__PORT gives, one a request."""
    statuses: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(statuses.pop(0) if self.path == "/health" else 404)
            self.end_headers()

        def log_message(self, *_arguments: Any) -> None:
            pass

    with pytest.MonkeyPatch.context() as patch, HTTPServer(("127.0.0.1", 0), Handler) as server:
        patch.setenv("FOLIO_HTTP__PORT", str(server.server_port))
        patch.setenv("http_proxy", "http://127.0.0.1:9")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield statuses
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_the_probe_says_whether_all_is_well(
    answers: list[int], status: int, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    answers.append(status)
    assert probe.main() == code
    assert capsys.readouterr().err.count("\n") == code
