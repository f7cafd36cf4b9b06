import subprocess
import sys

import pytest

from agent.cli.mcp import at_address, mcp
from agent.settings import Settings
from preprocessing.errors import FolioError
from tests.agent.terminal import ROOT


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("127.0.0.1:8001", "127.0.0.1", 8001),
        ("0.0.0.0:0", "0.0.0.0", 0),
        ("[::1]:9000", "::1", 9000),
        (" localhost:80 ", "localhost", 80),
        ("8001", "127.0.0.1", 8001),
    ],
)
def test_addresses(address: str, host: str, port: int) -> None:
    http = at_address(Settings(), address).http
    assert (http.host, http.port) == (host, port)


@pytest.mark.parametrize("address", ["", "localhost", "localhost:", ":8001", "h:99999", "h:-1", "h:八", "http://h:80/"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(FolioError) as raised:
        at_address(Settings(), address)
    assert str(raised.value) == f"--http {address!r} is no address; a right one is --http 127.0.0.1:8001"


def test_groups_over_http_are_those_of_keys() -> None:
    with pytest.raises(FolioError, match=r"^--viewer does not go with --http: give each key its groups"):
        mcp(http="127.0.0.1:0", viewer=["hr"])


def test_no_other_command_waits_for_the_sdk() -> None:
    code = "import sys, agent.cli, agent.assistant; print(sorted({'mcp', 'mcp_types', 'fastapi'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"
