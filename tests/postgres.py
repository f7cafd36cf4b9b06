"""A PostgreSQL server of the tests' own: a cluster in a folder that is gone afterwards, reached by a socket in it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import sqlalchemy as sa

_ROLE = "folio"
_PASSWORD = "s3cret-of-the-tests"
_OPTIONS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


class Postgres:
    """A running server that makes empty databases."""

    def __init__(self, folder: Path, control: Callable[..., None]) -> None:
        self._folder = folder
        self._control = control
        self._numbers = count(1)

    def stop(self) -> None:
        """Stop the server, cutting off whoever is connected."""
        # Not at once: these servers do not wait for the disk, and would lose what was just committed.
        self._control("-m", "fast", "stop")

    def start(self) -> None:
        """Start it again, with all that was committed."""
        self._control("start")

    def new_database(self) -> str:
        """Make a database and return its address."""
        engine = sa.create_engine(self._address("postgres"), isolation_level="AUTOCOMMIT")
        name = f"folio_{next(self._numbers)}"
        with engine.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return self._address(name)

    def _address(self, database: str) -> str:
        return f"postgresql+psycopg://{_ROLE}:{_PASSWORD}@/{database}?host={self._folder}"


def programs() -> Path | None:
    """Return the folder with initdb and pg_ctl, those of the newest version; None where there are none."""
    places = [Path(found).resolve().parent] if (found := shutil.which("initdb")) else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: -float(place.parent.name))
    return next((place for place in places if (place / "initdb").is_file() and (place / "pg_ctl").is_file()), None)


@contextmanager
def running(bin_: Path) -> Iterator[Postgres]:
    """Run a server until the end of the block."""
    # Not tmp_path: the name of a socket may have no more than 107 bytes, and only its owner gets into tmp_path.
    folder = Path(tempfile.mkdtemp(prefix="folio-pg-"))
    as_user = _unprivileged(folder)
    try:
        _run([bin_ / "initdb", "-D", folder / "data", "-U", _ROLE, "-A", "trust", "-N", "-E", "UTF8"], as_user)
        settings = " ".join(f"-c {option}" for option in _OPTIONS)
        options = f"-k {folder} -c listen_addresses='' {settings}"

        def control(*arguments: str) -> None:
            pg_ctl = [bin_ / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", "-o", options]
            _run([*pg_ctl, *arguments], as_user)

        server = Postgres(folder, control)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged(folder: Path) -> dict[str, Any]:
    """Return the user to run as: PostgreSQL refuses root, so root gives the folder to another one."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = known.get("postgres") or known["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _run(command: Sequence[object], as_user: dict[str, Any]) -> None:
    command = [str(part) for part in command]
    # The server outlives pg_ctl and would hold a pipe open.
    done = subprocess.run(
        command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, **as_user
    )
    assert done.returncode == 0, command
