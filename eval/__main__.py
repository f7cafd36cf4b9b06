"""`python -m eval`."""

from eval.cli import run

run()
