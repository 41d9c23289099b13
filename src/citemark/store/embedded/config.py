"""The settings of the embedded server, written outside the cluster at each start."""

import os
import sys
from pathlib import Path

_MIB = 2**20
PORT = 5432  # names the socket file only: the server listens on no network


def server_settings(*, cluster: Path, access: Path, sockets: Path) -> str:
    """The whole postgresql.conf for one start."""
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
        "max_connections": 60,
        # A client that was killed must not leave its statement running.
        "client_connection_check_interval": "2s",
        "shared_buffers": f"{buffers // _MIB}MB",
        "maintenance_work_mem": f"{buffers // _MIB}MB",
        "work_mem": "16MB",
        "effective_cache_size": f"{memory // 2 // _MIB}MB",
        "dynamic_shared_memory_type": _segments(),
        "huge_pages": "off",
        "jit": "off",
        # One server alone: no replication, and less to write for it.
        "wal_level": "minimal",
        "max_wal_senders": 0,
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
    """The whole pg_hba.conf: the password, for everyone, over the socket."""
    return "local all all scram-sha-256\n"


def _quoted(value: str | int) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _memory() -> int:
    """Bytes of memory that this machine or container has."""
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
