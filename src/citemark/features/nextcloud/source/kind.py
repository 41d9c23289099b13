"""Nextcloud accounts as a kind of source; the code that speaks to servers is loaded on first use."""

from citemark.model.accounts import DOC_TYPES, NEXTCLOUD
from citemark.model.errors import InvalidArgument
from citemark.model.sources import Source
from citemark.sources.contract import Connector
from citemark.sources.kinds import Config, ConnectorParts, SourceKind, without_empty

_FILE_RULES = frozenset({"include", "exclude", "ocr"})
"""The options of an account: which of its files are read."""


def _connect(source: Source, parts: ConnectorParts) -> Connector:
    return parts.connect_account(source)


def _options(source: Source, changes: Config) -> Config:
    if not changes.keys() <= _FILE_RULES:
        raise InvalidArgument(
            f"{source.name!r} is an account, which has no --also and no --ignore; the addresses of its documents are "
            "those of its server."
        )
    from citemark.features.nextcloud.source.account import AccountSettings

    config = without_empty({**source.config, "files": without_empty({**source.config.get("files", {}), **changes})})
    AccountSettings.from_config(config)
    return config


NEXTCLOUD_KIND = SourceKind(
    NEXTCLOUD,
    _connect,
    doc_types=frozenset(DOC_TYPES),
    options=_options,
    tool_group="nextcloud",
    counts_left_out=True,
    personal=True,
    password=True,
)
"""One person's account on a server."""
