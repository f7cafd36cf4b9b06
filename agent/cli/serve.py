"""`folio serve` and `folio keys`: the HTTP server, and who may use it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated

import typer

from agent.cli.options import AsJson, show
from agent.http.keys import Key, KeyStore, open_database
from agent.http.server import serve as serve_app
from agent.mcp.endpoint import create_app
from agent.settings import load_settings
from agent.view.text import printable

keys_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Keys for the HTTP server.")


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; FOLIO_HTTP__HOST, else 127.0.0.1.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; FOLIO_HTTP__PORT, else 8000. 0 is any that is free.")
    ] = None,
) -> None:
    """Answer over HTTP."""
    settings = load_settings()
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    http = settings.http.model_copy(update=given)
    serve_app(settings.model_copy(update={"http": http}), create_app)


@keys_app.command("add")
def add_key(
    name: Annotated[str, typer.Argument(help="Whom the key is for.")],
    role: Annotated[
        str, typer.Option(help="read (ask and search), write (also bring in and delete), or admin (of all documents).")
    ] = "read",
    group: Annotated[list[str] | None, typer.Option(help="Group whose documents it may see; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and print it; it cannot be shown again."""
    with _keys() as keys:
        key, written = keys.add(name, role, group or ())
    show({**asdict(key), "key": written}, [written], as_json=as_json)
    if not as_json:
        typer.echo(printable(f"{_line(key)}; send it as Authorization: Bearer KEY"), err=True)


@keys_app.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys, without their secrets."""
    with _keys() as keys:
        known = keys.all()
    show([asdict(key) for key in known], [_line(key) for key in known], as_json=as_json)


@keys_app.command("revoke")
def revoke_key(name: Annotated[str, typer.Argument(metavar="KEY", help="Name or id.")]) -> None:
    """End a key at once."""
    with _keys() as keys:
        key = keys.revoke(name)
    typer.echo(printable(f"revoked {key.name}"))


@contextmanager
def _keys() -> Iterator[KeyStore]:
    engine = open_database(load_settings())
    try:
        yield KeyStore(engine)
    finally:
        engine.dispose()


def _line(key: Key) -> str:
    groups = f"  of {', '.join(key.groups)}" if key.groups else ""
    revoked = f"  revoked {key.revoked_at}" if key.revoked_at else ""
    return f"{key.id}  {key.role:<5}  {key.name}{groups}{revoked}"
