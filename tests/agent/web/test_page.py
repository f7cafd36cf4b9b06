"""What the server says of the page, and what the page may load."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from agent.http.app import WEB
from tests.agent.http.conftest import Serve

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
SCRIPTS = sorted(WEB.glob("*.js"))


class Tags(HTMLParser):
    """The tags of the page with their attributes, and the texts in scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed((WEB / "index.html").read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/static/app.js", "text/javascript; charset=utf-8"),
        ("/static/style.css", "text/css; charset=utf-8"),
        ("/static/icon.svg", "image/svg+xml"),
    ],
)
def test_the_page_is_for_all_and_loads_nothing_from_elsewhere(serve: Serve, path: str, kind: str) -> None:
    served = serve()
    served.key("desk")
    response = served.client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == kind
    assert response.headers["content-security-policy"] == POLICY
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["cache-control"] == "no-cache"
    assert served.client.head(path).status_code == 200
    assert served.client.get(path, headers={"If-None-Match": response.headers["etag"]}).status_code == 304


def test_a_page_of_another_name_for_this_machine_gets_nothing_from_an_open_server(serve: Serve) -> None:
    assert serve().client.get("/", headers={"Host": "rebound.example"}).status_code == 403


def test_markup_has_no_script_style_or_address_of_its_own() -> None:
    for tag, attributes in Tags().found:
        assert tag not in ("style", "base", "iframe", "object", "embed")
        assert tag != "script" or attributes.get("src")
        for name, value in attributes.items():
            assert name != "style"
            assert not name.startswith("on")
            if name in ("src", "href"):
                assert value
                assert value.startswith(("#", "/static/")), value
                assert not value.startswith("/static/") or (WEB / value.removeprefix("/static/")).is_file()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_make_no_markup_of_texts(path: Path) -> None:
    written = path.read_text(encoding="utf-8")
    makes_markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|\beval\b|new Function"
    assert not re.search(makes_markup, written)
    assert not re.search(r"https?://(?!www\.w3\.org/)", written)


def test_each_text_of_the_page_is_there_in_both_languages() -> None:
    english, chinese = (WEB / "words.js").read_text(encoding="utf-8").split("const zh = ")
    names = re.findall(r'^  "([\w.]+)":', english, re.MULTILINE)
    assert names == re.findall(r'^  "([\w.]+)":', chinese, re.MULTILINE)
    assert len(names) == len(set(names))
    page = (WEB / "index.html").read_text(encoding="utf-8")
    used = set(re.findall(r'data-t(?:-label|-placeholder)?="([\w.]+)"', page))
    patterns = []
    for path in SCRIPTS:
        written = path.read_text(encoding="utf-8")
        used |= {
            name for call in re.findall(r"\bt\(([^()]*)", written) for name in re.findall(r'"([a-z]+\.[\w.]+)"', call)
        }
        patterns += [re.escape(start) for start in re.findall(r"`([a-z]+\.(?:[a-z_]+\.)*)\$\{", written)]
    assert used <= set(names)
    made = re.compile("|".join(rf"{start}\w+" for start in patterns))
    assert {name for name in names if name not in used and not made.match(name)} == set()
