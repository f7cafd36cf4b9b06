"""`folio mcp`: the documents as tools for other programs' agents."""

from typing import Annotated

import typer

from agent.mcp.stdio import serve
from agent.settings import load_settings


def mcp(
    viewer: Annotated[
        list[str] | None, typer.Option("--viewer", metavar="GROUP", help="Group of the person at the client.")
    ] = None,
) -> None:
    """Serve the Model Context Protocol: ask, knowledge_search, list_documents and read_section."""
    serve(load_settings(), viewer or [])
