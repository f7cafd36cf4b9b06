"""One page that stands alone; opened in a real browser where there is one."""

import base64
import re
import shutil
import struct
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval import cli
from eval.html_report import html_report
from eval.plots import Bin, reliability
from eval.runs import QuestionScore, Run, SetIdentity

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MATPLOTLIB = pytest.importorskip("matplotlib", reason="the report needs matplotlib")


def question(name: str, score: float, text: str) -> QuestionScore:
    scores = dict.fromkeys(("R@1", "R@5", "R@10", "MRR@10", "nDCG@10"), score)
    times = {"embed": 10.0 + score, "vector": 1.0, "keyword": 2.0, "fuse": 0.5}
    return QuestionScore(query_id=name, question=text, kind="natural", scores={"hybrid": scores}, milliseconds=times)


RUN = Run(
    command="retrieval",
    commit="abc",
    created_at="2026-01-01T00:00:00+00:00",
    set=SetIdentity(name="small", split="dev", digest="d", searched=3, unit="passages"),
    settings={"embed_model": "characters"},
    rows=["hybrid"],
    questions=[question("q1", 1.0, "住宿？"), question("q2", 0.25, "<script>alert(1)</script> | 餐补？")],
)
CHUNKING = RUN.model_copy(
    update={
        "command": "chunking",
        "rows": ["fixed 500"],
        "settings": {"embed_model": "characters", "budget": 3000},
        "questions": [QuestionScore(query_id="q", question="?", scores={"fixed 500": {"hit": 0.0}})],
        "statistics": {
            "fixed 500": {"chunks": 3, "mean chars": 400, "max chars": 500, "seconds": 1.5, "encoded/char": 1.02}
        },
    }
)


REFUSALS = [
    QuestionScore(
        query_id=f"a{n}",
        question="?",
        scores={
            "agent": {
                "similarity": 0.7 + n / 200,
                "refused": float(n < 12),
                "unanswerable": float(n < 10),
                **dict.fromkeys(("LLM calls", "tool calls", "tokens"), 2.0),
            }
        },
        milliseconds={"search": 3.0, "model": 9.0, "ask": 15.0} | ({"rewrite": 1.0} if n == 3 else {}),
    )
    for n in range(40)
]
ANSWERS = RUN.model_copy(
    update={
        "command": "answers",
        "rows": ["agent"],
        "settings": {"embed_model": "characters", "chat_model": "offline"},
        "questions": REFUSALS,
    }
)


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_tables_and_plots_stand_in_the_page() -> None:
    page = html_report([RUN, CHUNKING])
    assert '<td style="text-align:right">0.625</td>' in page
    assert "1 of 2 questions below 1 in MRR@10 of hybrid" in page
    assert "<td>fixed 500</td>" in page
    images = [attributes for tag, attributes in Tags(page).found if tag == "img"]
    assert [image["alt"] for image in images] == ["Recall over k", "Latency by stage"]
    for image in images:
        png = base64.b64decode(str(image["src"]).removeprefix("data:image/png;base64,"))
        assert png.startswith(b"\x89PNG")
        assert struct.unpack(">II", png[16:24]) == (768, 432)


def test_refusal_is_shown_over_similarity_beside_the_latency_of_each_stage() -> None:
    page = html_report([ANSWERS])
    images = [str(attributes["alt"]) for tag, attributes in Tags(page).found if tag == "img"]
    assert images == ["Reliability of refusal", "Latency by stage"]
    assert "<td>rewrite</td>" in page


def test_bins_are_equally_large() -> None:
    points = [(n / 10, n < 12, n < 10) for n in range(40)]
    assert reliability(points[::-1]) == [
        Bin(10, pytest.approx(0.45), 1.0, 1.0),
        Bin(10, pytest.approx(1.45), 0.2, 0.0),
        Bin(10, pytest.approx(2.45), 0.0, 0.0),
        Bin(10, pytest.approx(3.45), 0.0, 0.0),
    ]
    assert reliability(points[:3]) == [Bin(3, pytest.approx(0.1), 1.0, 1.0)]


def test_nothing_is_fetched_and_nothing_of_a_question_runs() -> None:
    page = html_report([RUN])
    tags = Tags(page).found
    assert "script" not in {tag for tag, _ in tags}
    links = [str(attributes.get(name)) for _, attributes in tags for name in ("src", "href") if attributes.get(name)]
    assert links
    assert all(link.startswith("data:") for link in links)
    assert "&lt;script&gt;" in page


def test_an_incomplete_run_says_so() -> None:
    page = html_report([RUN.model_copy(update={"problem": "RuntimeError: out of memory"})])
    assert "Incomplete: RuntimeError: out of memory" in page


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    RUN.save(tmp_path / "run.json")
    output = tmp_path / "report.html"
    result = CliRunner().invoke(cli.app, ["report", str(tmp_path / "run.json"), "--output", str(output)])
    assert result.exit_code == 0
    assert re.search(r"<h2>retrieval: small/dev</h2>", output.read_text(encoding="utf-8"))


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_a_browser_opens_it_without_errors(tmp_path: Path) -> None:
    page, shot = tmp_path / "report.html", tmp_path / "report.png"
    page.write_text(html_report([RUN, CHUNKING, ANSWERS]), encoding="utf-8")
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--enable-logging=stderr",
        f"--screenshot={shot}",
        "--window-size=1000,2000",
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert ":CONSOLE" not in done.stderr
    assert shot.read_bytes().startswith(b"\x89PNG")
