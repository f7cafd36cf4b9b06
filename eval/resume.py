"""A run that stopped half way goes on where it was."""

from pathlib import Path

from eval.compare import check_same_task
from eval.jsonl import SetError
from eval.runs import Run, load_run


def resumed(run: Run, earlier: Path | None) -> Run:
    """Return the run with the questions that an earlier one scored; as it is when there is none.

    Raises SetError when the earlier run had another task, other rows or other settings.
    """
    if earlier is None:
        return run
    before = load_run(earlier)
    check_same_task(before, run)
    if before.rows != run.rows:
        raise SetError(f"{earlier}: its rows are {', '.join(before.rows)}, now they are {', '.join(run.rows)}")
    for name in sorted(before.settings.keys() | run.settings.keys()):
        if before.settings.get(name) != run.settings.get(name):
            raise SetError(
                f"{earlier}: made with {name} {before.settings.get(name)!r}, which is now {run.settings.get(name)!r}; "
                "set it back, or begin anew"
            )
    return run.model_copy(update={"questions": before.questions})
