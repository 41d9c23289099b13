"""stand-in"""

from dataclasses import dataclass

from citemark.sources.contract import Processor, Scanner, Verifier
from citemark.sources.nextcloud.files.rules import FileRules


@dataclass(frozen=True, slots=True)
class App:
    """An app."""

    name: str
    doc_types: frozenset[str]
    scanner: Scanner
    processor: Processor
    verifier: Verifier


@dataclass(frozen=True, slots=True)
class Account:
    """An account."""

    server: str
    login: str
    user: str
    files: FileRules
