"""File systems that tell nothing of changes made elsewhere."""

import os
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_SILENT = frozenset(
    {
        *("9p", "afs", "ceph", "cifs", "drvfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3"),
        *("smbfs", "vboxsf", "virtiofs", "vmhgfs"),
        *(
            "fuse.glusterfs",
            "fuse.grpcfuse",
            "fuse.osxfs",
            "fuse.rclone",
            "fuse.s3fs",
            "fuse.sshfs",
            "fuse.vmhgfs-fuse",
        ),
    }
)
_LEAST_FIELDS = 5


def silent_type(path: str, table: Path = _MOUNTS) -> str | None:
    """The type of the file system under a real path when another machine may change it unheard, else None.

    `table` has the form of Linux's /proc/self/mountinfo (proc_pid_mountinfo(5)); without one nothing is known.
    """
    try:
        lines = table.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    best, found = -1, None
    for line in lines:
        mount, _, rest = line.partition(" - ")
        fields = mount.split()
        if len(fields) < _LEAST_FIELDS or not rest:
            continue
        point = _unescaped(fields[4])
        # Of two mounts on one point the later lies on top.
        if (path == point or path.startswith(point.rstrip(os.sep) + os.sep)) and len(point) >= best:
            best, found = len(point), rest.split()[0]
    return found if found in _SILENT else None


def _unescaped(field: str) -> str:
    for code, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, letter)
    return field
