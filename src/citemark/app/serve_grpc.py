"""`citemark serve --grpc`: the gRPC query services on a port of their own, alone or beside MCP over HTTP."""

import asyncio
import contextlib
import importlib
import os
import ssl
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from citemark.app.audit_log import AuditLog
from citemark.app.features import contract_of, families_of, observers_of
from citemark.app.people_server import check_people, limits_of, reader_of
from citemark.app.serve_stdio import BackgroundIndex, ending_of
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.app.web_server import GRACE_SECONDS
from citemark.folders import data_dir
from citemark.http_token import http_token, token_file
from citemark.logs import configure_logs
from citemark.model.errors import ConfigurationError
from citemark.services.people.admission import Admission, OwnerToken, RefusedRequest
from citemark.services.people.call_limits import CallLimits
from citemark.services.people.strangers import StrangerLimits
from citemark.settings import Settings, load_settings
from citemark.tools.seen_calls import CallObserver
from citemark.tools.tool_catalog import ToolCatalog, every_group, tools_of

if TYPE_CHECKING:
    from citemark.grpc_api.grpc_server import Certificate, GrpcServer

_EXAMPLE = "127.0.0.1:50051"

_MISSING = "--grpc needs what the extra installs: pip install 'citemark[grpc]', or uv tool install 'citemark[grpc]'."
_LAST_PORT = 65_535
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class GrpcDoor:
    """Where and how gRPC is served, as the command line says.

    Attributes:
        address: an address of this machine and a port, such as `127.0.0.1:50051`.
        certificate: the file of the server's certificate and its chain.
        key: the file of its private key.
        in_the_clear: serve other machines without encryption, too.
    """

    address: str
    certificate: Path | None = None
    key: Path | None = None
    in_the_clear: bool = False

    @property
    def encrypted(self) -> bool:
        """Whether it is served with TLS."""
        return self.certificate is not None

    def check(self, *, authenticated: bool) -> None:
        """Refuse what would let strangers read the index or the traffic; read no file yet.

        Raises:
            ConfigurationError: the message says what to add.
        """
        host, _, port = self.address.rpartition(":")
        loopback = _is_loopback(host)
        if loopback is None or not port.isdecimal() or int(port) > _LAST_PORT:
            raise ConfigurationError(
                f"--grpc-address takes an address of this machine and a port, such as {_EXAMPLE} or [::1]:50051, "
                f"not {self.address!r}."
            )
        if (self.certificate is None) != (self.key is None):
            raise ConfigurationError("--grpc-cert and --grpc-key belong together.")
        if loopback:
            return
        if not authenticated:
            raise ConfigurationError(
                f"{host} is reached by other machines, and without a token each of them could read the index. Leave "
                "--no-token out, or add --without-authentication."
            )
        if not self.encrypted and not self.in_the_clear:
            raise ConfigurationError(
                f"{host} is reached by other machines, and without TLS whoever is between could read tokens and "
                "answers. Add --grpc-cert and --grpc-key, or, behind a proxy with TLS, --without-encryption."
            )

    def read_certificate(self) -> "Certificate | None":
        """The certificate in the files.

        Raises:
            ConfigurationError: they cannot be read, or do not belong together.
        """
        from citemark.grpc_api.grpc_server import Certificate  # noqa: PLC0415 - only with the extra

        if self.certificate is None or self.key is None:
            return None
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key)
            return Certificate(self.key.read_bytes(), self.certificate.read_bytes())
        except (OSError, ssl.SSLError) as error:
            raise ConfigurationError(
                f"--grpc-cert {self.certificate} and --grpc-key {self.key} are not a certificate and its key in PEM "
                f"({error.strerror or type(error).__name__})."
            ) from None


def require_grpc() -> None:
    """Refuse to go on without the extra.

    Raises:
        ConfigurationError: it is not installed; the message says how to install it.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what fails is told by us, in a sentence
    # Its handlers run in every process that is forked off here, none of which calls gRPC, and now and then crash one.
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
    try:
        importlib.import_module("citemark.grpc_api.grpc_server")
    except (ImportError, RuntimeError):  # it is missing, or older than the code that was made for it
        raise ConfigurationError(_MISSING) from None


def grpc_server(
    door: GrpcDoor,
    settings: Settings,
    index: BackgroundIndex,
    token: str | None,
    limits: CallLimits,
    observers: Sequence[CallObserver],
    refused: Callable[[RefusedRequest], None],
    strangers: StrangerLimits | None = None,
) -> tuple["GrpcServer", int]:
    """A server that listens, and its port. `strangers` are counted together with those of another transport.

    Raises:
        ConfigurationError: it cannot listen there, or its certificate cannot be used.
    """
    from citemark.grpc_api.calls import QueryCalls  # noqa: PLC0415 - only with the extra
    from citemark.grpc_api.entrance import Entrance  # noqa: PLC0415
    from citemark.grpc_api.grpc_server import GrpcServer  # noqa: PLC0415

    reader = None if token is None else reader_of(settings, index)
    if reader is not None and strangers is None:
        strangers = StrangerLimits(reader.admits)
    entrance = Entrance(Admission(OwnerToken(token), reader, limits), strangers, refused)
    calls = QueryCalls(index.services, settings, limits, observers)
    families = families_of()
    offered = tools_of(families, every_group(families), settings)
    tools = {tool.name: tool for tool in offered}
    server = GrpcServer(contract_of(), calls, tools, entrance, index.health, GRACE_SECONDS)
    return server, server.listen(door.address, door.read_certificate())


def address_line(door: GrpcDoor, port: int) -> str:
    """What is printed about a listening server."""
    host = door.address.rpartition(":")[0]
    return f"Serving gRPC at {host}:{port} {'with' if door.encrypted else 'without'} TLS (Ctrl-C ends it)"


def serve_grpc(door: GrpcDoor, *, with_token: bool = True, anybody: bool = False) -> int:
    """Serve gRPC alone until a signal ends it; the arguments are as for `serve_http`."""
    unread: list[str] = []
    try:
        require_grpc()
        settings = load_settings(unread.append)
        check_people(settings, with_token=with_token)
        door.check(authenticated=with_token or anybody)
        token = http_token(data_dir(settings.data_dir)) if with_token else None
        audit = AuditLog(settings.audit_log)
    except ConfigurationError as error:
        return _told(error)
    configure_logs(settings.log_level)
    for line in unread:
        _log.warning("settings_not_used", reason=line, action="settings")
    try:
        asyncio.run(_serve(door, settings, token, audit))
    except ConfigurationError as error:
        return _told(error)
    finally:
        audit.close()
    return 0


async def _serve(door: GrpcDoor, settings: Settings, token: str | None, audit: AuditLog) -> None:
    index = BackgroundIndex(settings, ToolCatalog.of(families_of(), ToolGroupsFile(settings).read()))
    observers = (audit.seen, *observers_of(settings, index.services))
    server, port = grpc_server(door, settings, index, token, limits_of(settings), observers, audit.refused)
    index.start()
    ending = ending_of(settings)
    with ending.on_signals(asyncio.get_running_loop(), server.end):
        try:
            with contextlib.suppress(OSError):  # the parent process may have closed our output
                print(address_line(door, port))  # noqa: T201
                if token is not None:
                    kept = token_file(data_dir(settings.data_dir))
                    # Without the token in a journal or a container's log, which others may read.
                    told = f"{token} (kept in {kept})" if sys.stdout.isatty() else f"TOKEN, with the token in {kept}"
                    print(f"Clients send the metadata authorization: Bearer {told}")  # noqa: T201
                sys.stdout.flush()
            await server.serve()
        finally:
            ending.begin()
            await index.close()


def _is_loopback(host: str) -> bool | None:
    """Whether only this machine can reach an address, or None if it is none."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return None


def _told(error: ConfigurationError) -> int:
    sys.stderr.write(f"citemark: {error.message}\n")
    return 2
