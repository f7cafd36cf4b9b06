"""`folio mcp`: the documents as tools for other programs' agents."""

from typing import Annotated

import typer

from agent.mcp.stdio import serve
from agent.settings import Settings, load_settings
from preprocessing.errors import FolioError


def mcp(
    http: Annotated[
        str | None,
        typer.Option("--http", metavar="HOST:PORT", help="Serve streamable HTTP there, instead of standard input."),
    ] = None,
    viewer: Annotated[
        list[str] | None,
        typer.Option("--viewer", metavar="GROUP", help="Group of the person at the client; over HTTP keys say it."),
    ] = None,
) -> None:
    """Serve the Model Context Protocol: ask, knowledge_search, list_documents and read_section."""
    settings = load_settings()
    if http is None:
        serve(settings, viewer or [])
        return
    if viewer:
        raise FolioError("--viewer does not go with --http: give each key its groups with folio keys add --group")
    # A server on standard input needs nothing of an HTTP server.
    from agent.mcp.endpoint import serve as serve_http

    serve_http(at_address(settings, http))


def at_address(settings: Settings, address: str) -> Settings:
    """Return the settings with the server at HOST:PORT, or at a port of this machine. Raises FolioError."""
    host, separator, port = address.strip().rpartition(":")
    host = host.strip("[]") if separator else settings.http.host
    if not (port.isascii() and port.isdigit() and int(port) <= 65535 and host):
        raise FolioError(f"--http {address!r} is no address; a right one is --http 127.0.0.1:8001")
    return settings.model_copy(update={"http": settings.http.model_copy(update={"host": host, "port": int(port)})})
