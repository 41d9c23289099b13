"""The cluster on disk: created once, renamed into place when complete, and configured at each start."""

import os
import secrets
import shutil
import sys
from pathlib import Path

from citemark.model.errors import ConfigurationError
from citemark.store.embedded.binaries import Binaries
from citemark.store.embedded.data_folder import DataFolder, give_tree, make_folder, sync_folder, write_whole
from citemark.store.embedded.diagnostics import server_failed
from citemark.store.embedded.postmaster import FileLock
from citemark.store.embedded.server_account import ServerAccount, initdb_account

ROLE = "citemark"
PORT = 5432  # names the socket file only: the server listens on no network
MAX_CONNECTIONS = 300
"""Enough for a hundred idle processes; a connection that nobody uses costs some 80 KiB of shared memory."""

_MIB = 2**20
_PASSWORD_BYTES = 32
"""256 bits."""

# A random 256-bit password gains nothing from slow hashing, and each connection would pay for it.
_SCRAM_ITERATIONS = 1


def cluster_major(layout: DataFolder) -> int | None:
    """The PostgreSQL version of the cluster, or None if there is no cluster.

    Raises:
        ConfigurationError: the folder contains something else.
    """
    try:
        return int((layout.cluster / "PG_VERSION").read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        if layout.cluster.is_dir() and any(layout.cluster.iterdir()):
            raise _damaged(layout) from None
        return None
    except ValueError:
        raise _damaged(layout) from None


def read_password(layout: DataFolder) -> str:
    """The password of the role.

    Raises:
        ConfigurationError: the cluster exists, but its password file does not.
    """
    try:
        return layout.password.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise ConfigurationError(
            f"The password file {layout.password} is gone, and the index cannot be opened without it; restore it, "
            "or set CITEMARK_DATA_DIR to an empty folder and index again.",
            data_dir=str(layout.data_dir),
        ) from None


def create_cluster(layout: DataFolder, account: ServerAccount, binaries: Binaries, lock: FileLock) -> None:
    """Run initdb; what an earlier run left unfinished is deleted.

    initdb inherits the server's lock, which is held, so that no other process removes its files while it runs.

    Raises:
        BackendUnavailable: initdb failed, or the disk is full.
    """
    fresh = layout.unfinished_cluster
    if fresh.exists():
        shutil.rmtree(fresh)
    maker = initdb_account(account)
    make_folder(fresh, uid=maker.uid, gid=maker.gid, mode=0o700)
    if not layout.password.exists():
        write_whole(layout.password, secrets.token_urlsafe(_PASSWORD_BYTES) + "\n")
    password_file = layout.home / "password.initdb"
    write_whole(password_file, read_password(layout) + "\n", uid=maker.uid, gid=maker.gid)
    try:
        _initdb(fresh, password_file, maker, binaries, lock, layout)
    finally:
        password_file.unlink(missing_ok=True)
    if maker != account:
        give_tree(fresh, before=(maker.uid,), uid=account.uid, gid=account.gid)
    fresh.rename(layout.cluster)
    sync_folder(layout.home)


def _initdb(
    fresh: Path, password: Path, account: ServerAccount, binaries: Binaries, lock: FileLock, layout: DataFolder
) -> None:
    command = [
        str(binaries.initdb),
        f"--pgdata={fresh}",
        f"--username={ROLE}",
        f"--pwfile={password}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        f"--set=scram_iterations={_SCRAM_ITERATIONS}",
    ]
    # The text search parser uses the system's character classes; not every system has them under this name.
    result = account.run([*command, "--lc-ctype=C.UTF-8"], keep=(lock.fd,))
    if result.returncode and "invalid locale name" in result.stdout:
        result = account.run(command, keep=(lock.fd,))
    if result.returncode:
        raise server_failed("PostgreSQL could not create its data directory", layout.data_dir, result.stdout)


def data_bytes(layout: DataFolder) -> int:
    """The number of bytes that the cluster takes on disk."""
    total = 0
    for folder, _, files in os.walk(layout.cluster):
        for name in files:
            try:
                total += (Path(folder) / name).lstat().st_blocks * 512
            except FileNotFoundError:  # a file that PostgreSQL removed in the meantime
                continue
    return total


def _damaged(layout: DataFolder) -> ConfigurationError:
    return ConfigurationError(
        f"{layout.cluster} holds no PostgreSQL cluster (PG_VERSION is missing or unreadable); restore it, "
        "or set CITEMARK_DATA_DIR to an empty folder and index again.",
        data_dir=str(layout.data_dir),
    )


def server_settings(*, cluster: Path, access: Path, sockets: Path) -> str:
    """The complete postgresql.conf for one start."""
    memory = _memory()
    buffers = min(max(memory // 32, 64 * _MIB), 512 * _MIB)
    settings: dict[str, str | int] = {
        "data_directory": str(cluster),
        "hba_file": str(access),
        "cluster_name": "citemark",
        "allow_alter_system": "off",
        # Reached through a socket in a private folder, and nowhere else.
        "listen_addresses": "",
        "port": PORT,
        "unix_socket_directories": f'"{sockets}"',
        "unix_socket_permissions": "0700",
        "password_encryption": "scram-sha-256",
        "max_connections": MAX_CONNECTIONS,
        # A client that was killed must not leave its statement running.
        "client_connection_check_interval": "2s",
        "shared_buffers": f"{buffers // _MIB}MB",
        "maintenance_work_mem": f"{buffers // _MIB}MB",
        "work_mem": "16MB",
        "effective_cache_size": f"{memory // 2 // _MIB}MB",
        "dynamic_shared_memory_type": _segments(),
        "huge_pages": "off",
        "jit": "off",
        # A single server without replicas; a backup is sent as to one, over two connections.
        "wal_level": "replica",
        "max_wal_senders": 2,
        "fsync": "on",
        "max_wal_size": "1GB",
        "min_wal_size": "96MB",
        "checkpoint_timeout": "10min",
        "checkpoint_completion_target": "0.9",
        "autovacuum": "on",
        # Errors of statements go to their caller; the log keeps what concerns the server, never a user's text.
        "log_destination": "stderr",
        "logging_collector": "off",
        "log_min_messages": "log",
        "log_min_error_statement": "panic",
        "log_checkpoints": "off",
        "checkpoint_warning": 0,
        "log_line_prefix": "%m [%p] ",
        "lc_messages": "C",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    return "".join(f"{name} = {_quoted(value)}\n" for name, value in settings.items())


def access_rules() -> str:
    """The complete pg_hba.conf: everyone needs the password, over the socket, for a backup too."""
    return "local all all scram-sha-256\nlocal replication all scram-sha-256\n"


def _quoted(value: str | int) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _memory() -> int:
    """The bytes of memory that this machine or container has."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="utf-8").strip()
    except OSError:
        return physical
    return min(physical, int(limit)) if limit.isdigit() else physical


def _segments() -> str:
    """How parallel workers share memory: a container's /dev/shm is often too small for an index build."""
    if not sys.platform.startswith("linux"):
        return "posix"
    try:
        shm = os.statvfs("/dev/shm")  # noqa: S108 - asked for its size only
    except OSError:
        return "sysv"
    return "posix" if shm.f_blocks * shm.f_frsize >= 1024 * _MIB else "sysv"
