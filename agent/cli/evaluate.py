"""`folio eval`: the same as `python -m eval`."""

import runpy
import sys

import typer

evaluate_app = typer.Typer(rich_markup_mode=None)


@evaluate_app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
)
def evaluate(context: typer.Context) -> None:
    """Measure how good it is: the same as `python -m eval`."""
    # Run by name: eval stands above agent, so agent does not import it.
    sys.argv = ["folio eval", *context.args]
    runpy.run_module("eval", run_name="__main__", alter_sys=False)
