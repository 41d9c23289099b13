"""An app of an account: what it lists, fetches and vouches for."""

from dataclasses import dataclass, field

from citemark.sources.contract import Processor, Scanner, Verifier
from citemark.sources.nextcloud.files.rules import FileRules
from citemark.sources.nextcloud.scan_limits import ScanLimits


@dataclass(frozen=True, slots=True)
class App:
    """One app's three parts, and the types of documents that they know."""

    name: str
    doc_types: frozenset[str]
    scanner: Scanner
    processor: Processor
    verifier: Verifier


@dataclass(frozen=True, slots=True)
class Account:
    """Whose documents are read; the login name and the user id may differ."""

    server: str
    login: str
    user: str
    files: FileRules
    limits: ScanLimits = field(default_factory=ScanLimits)
