"""What a person can mend, help, and what is loaded when."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent import cli
from agent.cli.options import print_json, read_questions
from agent.settings import Settings
from preprocessing.errors import FolioError
from retrieval.knowledge_base import KnowledgeBase
from tests.agent.cli.conftest import Folio
from tests.agent.terminal import ROOT
from tests.fakes import CharacterEmbedder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", ""], "the question is blank; type what you want to know"),
        (["ask", " \u3000 "], "the question is blank; type what you want to know"),
        (["search"], "give either a question or --queries FILE.jsonl"),
        (["search", "q", "--queries", "f"], "give either a question or --queries FILE.jsonl"),
        (["ask"], "give either a question or --questions FILE.jsonl"),
        (["search", "q", "--mode", "fuzzy"], "unknown mode 'fuzzy'; choose one of hybrid, vector, keyword"),
        (["search", "q", "--k", "0"], "k is 0; it must be 1 or more"),
        (["search", "q", "--filter", "pdf"], "filter 'pdf' is not key=value; a right one is doc_type=pdf"),
        (["ask", "q", "--filter", "=pdf"], "filter '=pdf' is not key=value; a right one is doc_type=pdf"),
        (["ingest", ".", "--meta", "hr"], "--meta takes key=value, such as department=hr"),
        (["ingest", "-"], "standard input (-) needs --name with the type of its content, such as notes.md"),
        (
            ["ingest", "-", ".", "--name", "a.md"],
            "standard input (-) is brought in alone: without other paths and without --watch",
        ),
        (["ingest", ".", "--name", "a.md"], "--name is for standard input: folio ingest - --name notes.md"),
        (
            ["ingest", ".", "--watch", "--dry-run"],
            "--watch and --dry-run do not go together: a dry run brings nothing in",
        ),
        (["ask", "VPN?", "--session", "x" * 65], "the name of a session has at most 64 characters, not 65"),
        (["documents", "delete", "nosuch"], "no document 'nosuch'; `folio documents list` shows the ids"),
        (["search", "--queries", "nosuch.jsonl"], "nosuch.jsonl: cannot be read (No such file or directory)"),
        (["search", "--queries", "."], ".: cannot be read (Is a directory)"),
        (
            ["ask", "--questions", "nosuch.jsonl", "--session", "s"],
            '--session does not go with --questions: a line brings its conversation as "history"',
        ),
    ],
)
def test_one_line_and_exit_2(folio: Folio, arguments: list[str], message: str) -> None:
    done = folio(*arguments, "--json")
    assert done.is_one_line
    assert done.err == f"folio: {message}\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "the line: invalid JSON: EOF while parsing an object"),
        ('"年假"', "the line: input should be an object"),
        ("{}", "query: field required"),
        ('{"query": " "}', "query: is blank"),
        ('{"query": "q", "history": "x"}', "history: input should be a valid array"),
        ('{"query": "q", "history": [{"role": "user", "content": "x"}]}', "history.0.text: field required"),
        (
            '{"query": "q", "history": [{"role": "bot", "text": "x"}]}',
            "history.0.role: input should be 'user' or 'assistant'",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f'{{"query": "年假"}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(FolioError) as raised:
        read_questions(path)
    assert str(raised.value).startswith(f"{path}, line 3: {message}")


@pytest.mark.parametrize("command", [["search", "--queries"], ["ask", "--questions"]])
def test_a_file_is_read_before_anything_is_answered(folio: Folio, tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"query": "年假"}\n{}\n', encoding="utf-8")
    done = folio(*command, path)
    assert done.is_one_line
    assert done.err.startswith(f"folio: {path}, line 2: query: field required")
    path.write_bytes('{"query": "年假"}'.encode("gbk"))
    assert folio(*command, path).err == f"folio: {path}: not UTF-8; save the file as UTF-8\n"


def test_a_home_in_use(ready: Folio, tmp_path: Path) -> None:
    with KnowledgeBase.open(Settings(home=tmp_path / "home"), embedder=CharacterEmbedder()):
        for command in (["documents", "list"], ["ingest", "docs"], ["search", "年假"], ["ask", "年假"], ["chat"]):
            done = ready(*command)
            assert done.is_one_line
            assert f"is in use by process {os.getpid()}: " in done.err
    assert len(ready("documents", "list", "--json").json()) == 2


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_is_loaded_and_says_what_it_is_for(folio: Folio, name: str) -> None:
    command = cli.loaded(name, cli.COMMANDS[name][0])
    assert command.name == name
    assert command.help
    done = folio(name, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"Usage: folio {name} " in done.out


@pytest.mark.parametrize(
    ("module", "command", "extra"),
    [
        ("fastapi", ["serve"], "server"),
        ("mcp", ["mcp"], "mcp"),
    ],
)
def test_a_command_without_its_extra_is_one_line(module: str, command: list[str], extra: str, tmp_path: Path) -> None:
    hide = f"import sys; sys.modules[{module!r}] = None; sys.argv = {['folio', *command]!r}"
    environment = {"PYTHONPATH": str(ROOT), "FOLIO_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", f"{hide}; from agent.cli import main; main()"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"folio: {command[0]} needs: pip install 'folio[{extra}]'\n"


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("agent.cli", {"pydantic", "numpy", "sqlalchemy", "rich", "fastapi", "mcp"}),
        ("agent.cli.search", {"langchain_core", "openai", "rich", "fastapi", "mcp", "qdrant_client", "onnxruntime"}),
        ("agent.cli.chat", {"langchain_core", "openai", "fastapi", "mcp", "qdrant_client", "onnxruntime"}),
        ("agent.cli.mcp", {"fastapi"}),
    ],
)
def test_a_command_loads_what_it_needs(module: str, heavy: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert not heavy & set(done.stdout.split())


def test_json_survives_an_output_that_cannot_hold_it(ready: Folio, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    output = io.TextIOWrapper(written, encoding="gbk")
    monkeypatch.setattr(sys, "stdout", output)
    print_json({"answer": "✅𠮷"})
    output.flush()
    assert json.loads(written.getvalue().decode("gbk")) == {"answer": "✅𠮷"}


def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "signs.md").write_text("# 符号\n\n办理完成后显示 ✅ 标记，窗口由𠮷田负责。\n", encoding="utf-8")
    environment = {"PYTHONPATH": str(ROOT), "FOLIO_HOME": str(tmp_path / "home")}

    def run(*arguments: str, encoding: str) -> tuple[int, str, str]:
        command = [sys.executable, "-c", "from agent.cli import main; main()", *arguments]
        env = environment | {"PYTHONIOENCODING": encoding}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
        return done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding)

    code, out, err = run("ingest", "signs.md", "--json", encoding="utf-8")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"documents": 1, "chunks": 1, "unchanged": 0, "updated": 0, "failed": []}

    code, out, err = run("ask", "办理完成后显示什么标记？", encoding="gbk")
    assert (code, err) == (0, "")
    assert "办理完成后显示 ? 标记，窗口由?田负责。 [S1]" in out
    assert "\x1b" not in out
