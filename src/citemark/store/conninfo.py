"""The connection string of a database: checked before it is used, so that no message repeats its secrets."""

import os
import re
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo

from citemark.model.errors import ConfigurationError

_SCHEMES = ("postgresql://", "postgres://")
_URL = re.compile(r"[A-Za-z][\w+.:-]*://")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HOST = re.compile(r"[\w.:%-]*|[/@].*")
"""A name, an address, or the folder of a socket ("@" marks an abstract one)."""

_PORT = re.compile(r"\d{0,5}")
_SECRET_OPTION = b"*"
"""How libpq marks options that must not be displayed."""

_LEAST_SECRET = 3
"""Characters; shorter passwords are not searched for, because any message contains a single letter."""


def checked_conninfo(text: str, setting: str = "database_url") -> str:
    """Return a connection string without surrounding white space, once it is clear that libpq reads it as intended.

    Args:
        text: the connection string.
        setting: the setting that it is the value of.

    Raises:
        ConfigurationError: libpq does not; the message says what is wrong with its form and repeats no part of it.
    """
    conninfo = text.strip()
    fault = _fault_of_url(conninfo) if conninfo.startswith(_SCHEMES) else _fault_of_list(conninfo)
    if fault is None:
        try:
            options = conninfo_to_dict(conninfo)
        except (psycopg.Error, UnicodeError):
            options, fault = {}, "it has an option that PostgreSQL does not know, or one without a value"
        fault = fault or _fault_of_options(options)
    if fault is not None:
        variable = f"CITEMARK_{setting.upper()}"
        raise ConfigurationError(
            f"{setting} (environment: {variable}) is malformed: {fault}. It is "
            "postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or a list such as host=... dbname=... user=... "
            "password=...; its value is not shown because it may hold the password."
        )
    return conninfo


def of_database(conninfo: str, name: str) -> str:
    """Return how to connect to another database of the same server."""
    return make_conninfo(conninfo, dbname=name)


def without_ambient_password(conninfo: str) -> str:
    """Return the same string, but let libpq add no password of the user: neither PGPASSWORD nor a password file."""
    options = conninfo_to_dict(conninfo)
    if options.get("password"):
        return conninfo
    return make_conninfo(conninfo, password="", passfile=os.devnull)


def safe_message(error: Exception, conninfo: str) -> str:
    """Return the first line of a database error, unless it contains a secret of the connection string."""
    message = str(error).strip().partition("\n")[0]
    if any(secret in message for secret in _secrets_of(conninfo)):
        return f"{type(error).__name__}; its message holds a secret of the address of the database and is not shown"
    return message


def _fault_of_url(url: str) -> str | None:
    rest = url.partition("://")[2]
    before_query = rest.partition("?")[0] if "@" not in rest.partition("?")[2] else rest
    user, _, location = before_query.rpartition("@")
    faults = {
        "it contains a % that is not part of an escape; write each % of a password as %25": _BROKEN_ESCAPE.search(rest),
        "it contains a NUL character or an escape of one": "%00" in rest or "\0" in rest,
        "it contains white space or control characters; write a blank as %20": re.search(r"[\s\x00-\x1f\x7f]", rest),
        "it contains characters that are not UTF-8": re.search(r"[\ud800-\udfff]", rest),
        "it has more than one @; write each @ of a password as %40": "@" in user,
        "it has a / before an @; write a / of a password as %2F, and each @ elsewhere as %40": "/" in user,
        "the [ before its address has no ]": _unclosed(location.partition("/")[0]),
    }
    return next((fault for fault, present in faults.items() if present), None)


def _unclosed(hosts: str) -> bool:
    return hosts.count("[") != hosts.count("]")


def _fault_of_list(text: str) -> str | None:
    if not text:
        return "it is empty"
    if _URL.search(text.partition("=")[0]):
        return "it must begin with postgresql://, without quotation marks and without the name of a driver"
    if "=" not in text:
        return "it neither begins with postgresql:// nor lists options"
    if text.replace(r"\'", "").count("'") % 2:
        return "a quotation mark is not closed; write a ' of a value as \\'"
    return None


def _fault_of_options(options: Mapping[str, Any]) -> str | None:
    ports = str(options.get("port") or "").split(",")
    hosts = str(options.get("host") or "").split(",")
    if not all(_PORT.fullmatch(port) for port in ports):
        return "its port is not a number"
    if not all(_HOST.fullmatch(host) for host in hosts):
        return "its host is neither a name nor an address"
    return None


def _secrets_of(conninfo: str) -> set[str]:
    """The values of those options that libpq treats as secret."""
    secret = {option.keyword.decode() for option in Conninfo.get_defaults() if option.dispchar == _SECRET_OPTION}
    try:
        options = conninfo_to_dict(conninfo)
    except (psycopg.Error, UnicodeError):
        return {conninfo}
    values = {str(options[name]) for name in secret & options.keys()}
    return {value for value in values if len(value) >= _LEAST_SECRET}
