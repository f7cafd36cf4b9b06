"""`python -m agent.cli` is `folio`."""

from agent.cli import main

main()
