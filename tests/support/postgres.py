"""A PostgreSQL of a test's own, from the system's packages: in a temporary folder, on a free port, gone when the test ends."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
from processes import eventually

PROGRAMS = Path("/usr/lib/postgresql")
USER = "instructor"
PASSWORD = "s3cret-enough"
UNPRIVILEGED = "nobody"


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    port: int

    def url(self, database: str, password: str = PASSWORD) -> str:
        """Return the URL of a database for SQLAlchemy."""
        return f"postgresql+psycopg://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database; return its URL."""
        name = f"gradebook_{uuid4().hex}"
        with self.connect("postgres") as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url(name)

    def connect(self, database: str) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, dbname=database, autocommit=True
        )

    def answers(self) -> bool:
        try:
            self.connect("postgres").close()
        except psycopg.OperationalError:
            return False
        return True


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Run a server, as another user where this is root: PostgreSQL refuses to run as root."""
    bin_ = max(PROGRAMS.glob("*/bin"), key=lambda path: float(path.parent.name))
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="attn-postgres-"))
    try:
        (folder / "password").write_text(PASSWORD)
        if user:
            shutil.chown(folder, user)
            shutil.chown(folder / "password", user)
        options = ["-U", USER, "-A", "scram-sha-256", f"--pwfile={folder / 'password'}", "--no-sync", "-E", "UTF8"]
        begin = [str(bin_ / "initdb"), "-D", str(folder / "data"), *options]
        subprocess.run(begin, check=True, user=user, cwd=folder, capture_output=True)
        port = _free_port()
        run = [str(bin_ / "postgres"), "-D", str(folder / "data"), "-k", str(folder), "-p", str(port), "-F"]
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(run, user=user, cwd=folder, stdout=log, stderr=log)
        try:
            running = Server(port)
            assert eventually(running.answers), (folder / "log").read_text()
            yield running
        finally:
            process.terminate()
            process.wait()
    finally:
        shutil.rmtree(folder)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
