"""A question apart from its words: who asks, in which scope, with which filters, and about which state of the index."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class RequestScope:
    """What the caller limits a question to. Values of one key are OR, keys are AND; empty means no limit.

    `kind` and `source` are set by the tools for architecture models: only sources of that kind, only that one source.
    """

    project_id: str | None = None
    environment: str | None = None
    doc_tags: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    kind: str | None = None
    source: str | None = None

    @property
    def labelled(self) -> bool:
        """Whether it names labels that sources must have, beside their project."""
        return bool(self.environment or self.doc_tags or self.repositories)

    @property
    def narrow(self) -> bool:
        """Whether it excludes some of a project's sources."""
        return self.labelled or bool(self.source)

    def data(self) -> dict[str, Any]:
        """The limits by their names, as the parameters of statements take them."""
        return asdict(self) | {"doc_tags": list(self.doc_tags), "repositories": list(self.repositories)}


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on documents, applied inside the SQL that finds candidates. Empty means no condition.

    `metadata` holds pairs of a key and its accepted values: keys are AND, the values of one key are OR. A stored value
    that consists of several has one per line. A document's path is its metadata `Path`, or its native id if it has no
    `Path`. `labels` are what people put on a document: labels, categories, tags. `dated_from` and `dated_to` are days,
    both inclusive; they are compared with the span from `Start` to `End` or `Due` as stored. A recurring document spans
    from its first date to its last. `properties` are pairs like those of `metadata`, compared with what pages say about
    themselves; both are in the form that is compared (`model.properties.comparable`). `languages` are the languages of
    texts as the index names them ("german").
    """

    doc_tags: tuple[str, ...] = ()
    path_prefixes: tuple[str, ...] = ()
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    doc_types: tuple[str, ...] = ()
    metadata: tuple[tuple[str, tuple[str, ...]], ...] = ()
    labels: tuple[str, ...] = ()
    dated_from: date | None = None
    dated_to: date | None = None
    properties: tuple[tuple[str, tuple[str, ...]], ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """True when no condition is set."""
        return self == Filters()


@dataclass(frozen=True, slots=True)
class ReadContext:
    """A request for a state of the index: at most one of the two is set; neither means HEAD."""

    baseline_id: str | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class ResolvedContext:
    """The state that was read.

    Attributes:
        as_of: the moment that answers and citations name (UTC), never later than the read horizon.
        baseline_id: the baseline that was requested, or None for HEAD and for a moment.
        read_at: the recorded moment whose state is read, or None if HEAD is read. It differs from `as_of` for a commit
            of a repository, which is recorded at a moment of its own.
    """

    as_of: datetime
    baseline_id: str | None = None
    read_at: datetime | None = None

    @property
    def moment(self) -> datetime:
        """The recorded moment that intervals are compared with."""
        return self.as_of if self.read_at is None else self.read_at

    @property
    def head(self) -> bool:
        """Whether HEAD was read."""
        return self.read_at is None


READ = "semantic:read"
WRITE = "semantic:write"
SCOPES = (READ, WRITE)
"""All scopes, in the order in which they are listed to clients."""


def scopes_in(words: Iterable[str]) -> frozenset[str]:
    """The scopes among the words of a token; authorization servers that refuse colons write them with a dot."""
    return frozenset(word.replace(".", ":") for word in words) & frozenset(SCOPES)


@dataclass(frozen=True, slots=True)
class Principal:
    """One caller: a tenant, a subject inside it, the scopes of its token, and the groups that its issuer puts it in."""

    tenant: str
    subject: str
    scopes: frozenset[str]
    groups: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The one string that identifies the owner of handles and cursors; unambiguous, as tenants contain no slash."""
        return f"{self.tenant}/{self.subject}"

    @property
    def name(self) -> str:
        """What people call this caller: the subject without its issuer, which may contain spaces itself."""
        return self.subject.partition(" ")[2] or self.subject

    @classmethod
    def local(cls) -> "Principal":
        """The person at this machine, who has access to the index by file permission."""
        return cls(tenant="local", subject="owner", scopes=frozenset(SCOPES))

    @classmethod
    def issued(cls, issuer: str, subject: str, scopes: frozenset[str], groups: Iterable[str] = ()) -> "Principal":
        """A principal for whom an issuer vouches: a subject identifies a person only together with its issuer.

        An issuer contains no space, so no two pairs result in the same name, and none results in the local owner's.
        """
        return cls("local", of_issuer(issuer, subject), scopes, frozenset(of_issuer(issuer, group) for group in groups))


def of_issuer(issuer: str, name: str) -> str:
    """The name of a person or group of an issuer."""
    return f"{issuer} {name}"


LimitKind = Literal[
    "environment", "repository", "source_tag", "document_tag", "label", "path_prefix", "capability", "property"
]

CAPABILITY = "capability"
"""The metadata key of a model's elements whose values people spell in any case."""


@dataclass(frozen=True, slots=True)
class ScopeLimit:
    """A limit that a caller set: one value of one kind."""

    kind: LimitKind
    value: str


def limits_of(scope: RequestScope, filters: Filters) -> Iterator[ScopeLimit]:
    """Every value that some source or document must have, or else the call cannot find anything by it."""
    if scope.environment is not None:
        yield ScopeLimit("environment", scope.environment)
    yield from (ScopeLimit("source_tag", value) for value in scope.doc_tags)
    yield from (ScopeLimit("repository", value) for value in scope.repositories)
    yield from (ScopeLimit("document_tag", value) for value in filters.doc_tags)
    yield from (ScopeLimit("label", value) for value in filters.labels)
    yield from (ScopeLimit("path_prefix", value) for value in filters.path_prefixes if value)
    yield from (ScopeLimit("property", f"{key}={value}") for key, values in filters.properties for value in values)
    for key, values in filters.metadata:
        if key == CAPABILITY:
            yield from (ScopeLimit("capability", value) for value in values)
