"""Where everything of the embedded server lies inside the data folder."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of one data folder.

    The owner of the data folder owns all of it except `cluster` and `run`, which belong to the account of the server.
    """

    data_dir: Path

    @property
    def home(self) -> Path:
        """The folder of all that concerns PostgreSQL."""
        return self.data_dir / "postgres"

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data directory."""
        return self.home / "cluster"

    @property
    def unfinished_cluster(self) -> Path:
        """A cluster that initdb has not finished; worthless."""
        return self.home / "cluster.new"

    @property
    def run(self) -> Path:
        """The folder of the socket, where its path is short enough."""
        return self.home / "run"

    @property
    def config(self) -> Path:
        """The settings, written anew at each start."""
        return self.home / "postgresql.conf"

    @property
    def access(self) -> Path:
        """Who may log in, written anew at each start."""
        return self.home / "pg_hba.conf"

    @property
    def password(self) -> Path:
        """The password of the one role."""
        return self.home / "password"

    @property
    def log(self) -> Path:
        """What the server has to say."""
        return self.home / "server.log"

    @property
    def start_lock(self) -> Path:
        """Held exclusively while a process creates, starts or stops the server."""
        return self.home / "start.lock"

    @property
    def users_lock(self) -> Path:
        """Held shared by each process that uses the server."""
        return self.home / "users.lock"

    @property
    def server_lock(self) -> Path:
        """Inherited and held by the server and all its children: free means that none of them lives."""
        return self.home / "server.lock"
