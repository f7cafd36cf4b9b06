"""Runs as one HTML page that needs nothing beside it: tables, plots, and the questions that went wrong."""

import base64
from collections.abc import Callable, Mapping, Sequence
from html import escape

from eval.answers_report import answers_table
from eval.compare_runs import DECIDING
from eval.plots import plots
from eval.report import chunking_table, details, retrieval_table, sweep_table
from eval.runs import QuestionScore, Run

_TABLES: Mapping[str, Callable[[Run], str]] = {
    "retrieval": lambda run: f"{retrieval_table(run)}\n\n{details(run)}",
    "chunking": chunking_table,
    "answers": answers_table,
    "sweep": sweep_table,
}
WORST = 20
"""Questions shown of those that scored lowest."""
_STYLE = """
body { font: 15px/1.5 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; margin: 2rem auto;
       max-width: 60rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .75rem }
img { max-width: 100%; height: auto }
dt { font-weight: 600 }
dd { margin: 0 0 .25rem 1rem; overflow-wrap: anywhere }
"""


def html_report(runs: Sequence[Run]) -> str:
    """Return the page; a run is a section, in the order given."""
    sections = "\n".join(_section(run) for run in runs)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Folio evaluation</title>\n'
        '<link rel="icon" href="data:,">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Folio evaluation</h1>\n{sections}\n</body>\n</html>\n"
    )


def _section(run: Run) -> str:
    tables = _TABLES[run.command](run)
    parts = [f"<h2>{escape(run.command)}: {escape(run.set.name)}/{escape(run.set.split)}</h2>"]
    if run.problem:
        parts.append(f"<p><strong>Incomplete: {escape(run.problem)}</strong></p>")
    parts.append(_as_html(tables))
    for title, png in plots(run).items():
        data = base64.b64encode(png).decode("ascii")
        parts.append(f'<h3>{escape(title)}</h3>\n<img alt="{escape(title)}" src="data:image/png;base64,{data}">')
    parts += [_worst(run), _facts(run)]
    return "\n".join(parts)


def _as_html(markdown: str) -> str:
    # Only the report needs a Markdown renderer.
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))


def _worst(run: Run) -> str:
    row, metric = run.rows[-1], DECIDING.get(run.command, "")
    scored = [(question.scores[row][metric], question) for question in run.questions if metric in question.scores[row]]
    failed = sorted((pair for pair in scored if pair[0] < 1), key=lambda pair: pair[0])
    if not failed:
        return ""
    lines = "\n".join(_line(score, question) for score, question in failed[:WORST])
    header = "<tr><th>score</th><th>type</th><th>question</th><th>id</th></tr>"
    title = f"{len(failed)} of {len(scored)} questions below 1 in {metric} of {row}"
    return f"<h3>{escape(title)}</h3>\n<table>\n{header}\n{lines}\n</table>"


def _line(score: float, question: QuestionScore) -> str:
    cells = (f"{score:.3f}", question.kind, question.question, question.query_id)
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _facts(run: Run) -> str:
    facts = {"created": run.created_at, "commit": run.commit or "unknown", "files": run.set.digest, **run.settings}
    lines = "\n".join(f"<dt>{escape(str(name))}</dt><dd>{escape(str(value))}</dd>" for name, value in facts.items())
    return f"<details><summary>Settings</summary>\n<dl>\n{lines}\n</dl>\n</details>"
