"""Who asks."""

from dataclasses import dataclass

READ = "semantic:read"
WRITE = "semantic:write"


@dataclass(frozen=True, slots=True)
class Principal:
    """One asker: a tenant, a subject inside it, and the scopes of its token."""

    tenant: str
    subject: str
    scopes: frozenset[str]

    @property
    def key(self) -> str:
        """One string that owns handles and cursors; unambiguous because tenants hold no slash."""
        return f"{self.tenant}/{self.subject}"

    @classmethod
    def local(cls) -> "Principal":
        """The person at this machine, who reaches the index by file permission."""
        return cls(tenant="local", subject="owner", scopes=frozenset({READ, WRITE}))
