"""PostgreSQL as companies run it, on loopback: etcd, nodes under Patroni, and PgBouncer before whichever leads.

Patroni keeps one replica synchronous. Its callbacks tell PgBouncer who leads, as on machines of a company.
"""

import os
import secrets
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil
import psycopg
import yaml
from psycopg.conninfo import make_conninfo
from tests.cluster.processes import Running, kill
from tests.support.patience import HANG_SECONDS

from citemark.store.embedded.binaries import find_binaries

_BUILD = Path(__file__).resolve().parents[2] / ".build"
_DEBIAN = _BUILD / "debian"
_PATRONI = _BUILD / "patroni"
_SCOPE = "citemark"
_PAUSE = 0.1  # seconds between two looks
_LONGEST_LOOK = 2.0  # seconds that a node may take to answer
TTL = 20  # seconds after which a leader that is silent has lost its lead: the least that Patroni takes

_REPOINT = """#!/bin/sh
# Patroni calls this with: the port of the node, then what happened, its role and the name of the cluster.
case "$3" in
primary | master | promoted)
  echo "citemark = host=127.0.0.1 port=$1" > '{folder}/databases.new'
  mv '{folder}/databases.new' '{folder}/databases.ini'
  kill -HUP "$(cat '{folder}/pgbouncer.pid')"
  ;;
esac
"""


class NotBuilt(Exception):
    """What `make cluster` installs is not there."""


@dataclass(frozen=True, slots=True)
class Installed:
    """The programs of a cluster, copied to where another account can run them."""

    postgres: Path
    patroni: Path
    debian: Path

    @property
    def libraries(self) -> str:
        """Where Debian's programs find their libraries."""
        return os.pathsep.join(str(each) for each in self.debian.glob("usr/lib/*"))


def installed(folder: Path) -> Installed:
    """Copy the programs to a folder.

    Raises:
        NotBuilt: one of them is missing.
    """
    found = find_binaries(18)
    wanted = (_PATRONI / "bin" / "python", _DEBIAN / "usr/bin/etcd", _DEBIAN / "usr/sbin/pgbouncer")
    missing = [path.name if path.name != "python" else "patroni" for path in wanted if not path.exists()]
    if missing:
        raise NotBuilt(f"{', '.join(missing)}: not built below .build (`make cluster` does, where there is apt)")
    package = found.root.parent
    copied = folder / "programs"
    shutil.copytree(found.root, copied / package.name / found.root.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, copied / libraries.name)
    shutil.copytree(_PATRONI, copied / "patroni", symlinks=True)
    shutil.copytree(_DEBIAN, copied / "debian", symlinks=True)
    return Installed(copied / package.name / found.root.name, copied / "patroni", copied / "debian")


@dataclass(frozen=True, slots=True)
class Node:
    """One member of the cluster: its PostgreSQL, and the door of its Patroni."""

    name: str
    port: int
    rest: int
    data: Path


class Cluster:
    """A primary, two replicas and what leads to them."""

    def __init__(self, running: Running, programs: Installed) -> None:
        self._running = running
        self._programs = programs
        self._password = secrets.token_hex(16)
        ports = iter(_free_ports(9))
        self._etcd = next(ports)
        self._etcd_peers = next(ports)
        self._pooler = next(ports)
        self._home = running.folder_of("pgbouncer")
        self.nodes = [
            Node(f"node{number}", next(ports), next(ports), running.folder_of(f"node{number}") / "data")
            for number in range(3)
        ]

    def start(self) -> None:
        """Start all of it, and wait until there are a leader, a synchronous replica and another one."""
        self._start_etcd()
        self._start_pooler()
        for node in self.nodes:
            self.start_node(node)
        self.wait_whole()
        with psycopg.connect(self._dsn("postgres", self.leader().port), autocommit=True) as connection:
            connection.execute("CREATE DATABASE citemark")
        self._await("the pooler", lambda: _answers(self.pooled))

    @property
    def pooled(self) -> str:
        """The primary through PgBouncer."""
        return self._dsn(_SCOPE, self._pooler)

    @property
    def direct(self) -> str:
        """Whichever node is the primary, without PgBouncer: libpq asks each."""
        ports = [node.port for node in self.nodes]
        return self._dsn(_SCOPE, *ports) + "&target_session_attrs=read-write"

    @property
    def addresses(self) -> dict[str, str]:
        """The settings of Citemark that say where the database is. Each node may be a replica after a failover."""
        return {
            "database_url": self.pooled,
            "database_direct_url": self.direct,
            "database_read_urls": " ".join(self.at(node) for node in self.nodes),
        }

    def at(self, node: Node) -> str:
        """One node."""
        return self._dsn(_SCOPE, node.port)

    def roles(self) -> dict[str, str]:
        """What Patroni says each member is and does, such as {"node0": "leader running"}; empty if no node tells."""
        for node in self.nodes:
            try:
                said = httpx2.get(f"http://127.0.0.1:{node.rest}/cluster", timeout=_LONGEST_LOOK).json()
            except (httpx2.HTTPError, ValueError):
                continue
            return {each["name"]: f"{each['role']} {each['state']}" for each in said["members"]}
        return {}

    def leader(self) -> Node:
        """The node that takes writes."""
        for node in self.nodes:
            if _answers(make_conninfo(self.at(node), target_session_attrs="read-write", dbname="postgres")):
                return node
        raise AssertionError(f"no node takes writes: {self.roles()}")

    def wait_whole(self) -> None:
        """Wait until a leader, a synchronous replica and another replica follow one another."""
        whole = ["leader running", "replica streaming", "sync_standby streaming"]
        self._await("a whole cluster", lambda: sorted(self.roles().values()) == whole)

    def kill(self, node: Node) -> None:
        """`kill -9` for the Patroni and the PostgreSQL of a node, with all their processes."""
        postmaster = int((node.data / "postmaster.pid").read_text().split()[0])
        kill([psutil.Process(self._running.programs[node.name].pid), psutil.Process(postmaster)])
        self._running.programs[node.name].wait()

    def start_node(self, node: Node) -> None:
        """Start the Patroni of a node, which starts its PostgreSQL."""
        settings = node.data.parent / "patroni.yml"
        if not settings.exists():
            settings.write_text(yaml.safe_dump(self._patroni(node)))
            self._running.account.own([settings])
        python = self._programs.patroni / "bin" / "python"
        self._running.start(node.name, python, "-m", "patroni", settings, env={"PYTHONDONTWRITEBYTECODE": "1"})

    def postgres_processes(self) -> list[psutil.Process]:
        """The postmaster of each node that runs."""
        found: list[psutil.Process] = []
        for node in self.nodes:
            pid = int((node.data / "postmaster.pid").read_text().split()[0])
            found.append(psutil.Process(pid))
        return found

    def _dsn(self, database: str, *ports: int) -> str:
        places = ",".join(f"127.0.0.1:{port}" for port in ports)
        return f"postgresql://{_SCOPE}:{self._password}@{places}/{database}?connect_timeout=3"

    def _start_etcd(self) -> None:
        own, peers = f"http://127.0.0.1:{self._etcd}", f"http://127.0.0.1:{self._etcd_peers}"
        given = {
            "name": "etcd",
            "data-dir": self._running.folder_of("etcd"),
            "listen-client-urls": own,
            "advertise-client-urls": own,
            "listen-peer-urls": peers,
            "initial-advertise-peer-urls": peers,
            "initial-cluster": f"etcd={peers}",
        }
        options = [f"--{name}={value}" for name, value in given.items()]
        program = self._programs.debian / "usr/bin/etcd"
        self._running.start("etcd", program, *options, env={"LD_LIBRARY_PATH": self._programs.libraries})
        self._await("etcd", lambda: httpx2.get(f"{own}/health", timeout=_LONGEST_LOOK).json()["health"] == "true")

    def _start_pooler(self) -> None:
        home = self._home
        users = home / "users.txt"
        users.write_text(f'"{_SCOPE}" "{self._password}"\n')
        databases = home / "databases.ini"
        databases.write_text(f"citemark = host=127.0.0.1 port={self.nodes[0].port}\n")
        settings = home / "pgbouncer.ini"
        settings.write_text(
            "\n".join(
                [
                    "[databases]",
                    f"%include {databases}",
                    "[pgbouncer]",
                    "pool_mode = transaction",
                    "auth_type = scram-sha-256",
                    f"auth_file = {users}",
                    "listen_addr = 127.0.0.1",
                    f"listen_port = {self._pooler}",
                    "unix_socket_dir =",
                    f"pidfile = {home}/pgbouncer.pid",
                    "default_pool_size = 30",
                    "max_client_conn = 300",
                    "server_login_retry = 1",
                    "server_connect_timeout = 3",
                    "query_wait_timeout = 15",
                    "",
                ]
            )
        )
        script = home / "repoint"
        script.write_text(_REPOINT.format(folder=home))
        script.chmod(0o700)
        self._running.account.own(home.iterdir())
        program = self._programs.debian / "usr/sbin/pgbouncer"
        self._running.start("pgbouncer", program, settings, env={"LD_LIBRARY_PATH": self._programs.libraries})
        self._await("PgBouncer", (home / "pgbouncer.pid").exists)

    def _patroni(self, node: Node) -> dict[str, object]:
        login = {"username": _SCOPE, "password": self._password}
        repoint = f"{self._home}/repoint {node.port}"
        return {
            "scope": _SCOPE,
            "name": node.name,
            "restapi": {"listen": f"127.0.0.1:{node.rest}", "connect_address": f"127.0.0.1:{node.rest}"},
            "etcd3": {"host": f"127.0.0.1:{self._etcd}"},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL,
                    "loop_wait": 5,
                    "retry_timeout": 7,
                    "synchronous_mode": True,
                    "synchronous_node_count": 1,
                    "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": _parameters()},
                },
                "initdb": ["data-checksums", {"encoding": "UTF8"}, {"locale": "C.UTF-8"}],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{node.port}",
                "connect_address": f"127.0.0.1:{node.port}",
                "data_dir": str(node.data),
                "bin_dir": str(self._programs.postgres / "bin"),
                "pgpass": str(node.data.parent / "pgpass"),
                "authentication": {"superuser": login, "replication": login, "rewind": login},
                "pg_hba": [
                    "host all all 127.0.0.1/32 scram-sha-256",
                    "host replication all 127.0.0.1/32 scram-sha-256",
                ],
                "parameters": {"unix_socket_directories": str(node.data.parent)},
                "callbacks": {"on_start": repoint, "on_role_change": repoint},
            },
            "watchdog": {"mode": "off"},
        }

    def _await(self, what: str, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + HANG_SECONDS
        while True:
            try:
                if reached():
                    return
            except (httpx2.HTTPError, OSError, ValueError):
                pass
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not come up\n{self._running.ends_of_logs()}")
            time.sleep(_PAUSE)


def _parameters() -> dict[str, object]:
    return {
        "max_connections": 150,
        "shared_buffers": "128MB",
        "work_mem": "16MB",
        "jit": "off",
        "wal_keep_size": "256MB",
        "max_wal_size": "1GB",
        "dynamic_shared_memory_type": "sysv",
        "timezone": "UTC",
    }


def _answers(dsn: str) -> bool:
    try:
        psycopg.connect(dsn).close()
    except psycopg.OperationalError:
        return False
    return True


def _free_ports(number: int) -> list[int]:
    """Ports of loopback that nobody listens on."""
    sockets = [socket.socket() for _ in range(number)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
