"""The scope that a call runs under."""

from dataclasses import dataclass, replace

from citemark.model.errors import ScopeViolation
from citemark.model.scope import RequestScope


@dataclass(frozen=True, slots=True)
class ScopeDefaults:
    """The server's own project, and the scope of calls that name none."""

    project_id: str
    environment: str | None = None
    doc_tags: tuple[str, ...] = ()

    def apply(self, scope: RequestScope) -> RequestScope:
        """The scope that a call runs under.

        Raises:
            ScopeViolation: the call names another project.
        """
        if scope.project_id is not None and scope.project_id != self.project_id:
            raise ScopeViolation(
                f"This server answers for project {self.project_id!r} only; leave scope.project_id out.",
                project_id=scope.project_id,
            )
        if scope.environment is None and not scope.doc_tags and not scope.repositories:
            scope = replace(scope, environment=self.environment, doc_tags=self.doc_tags)
        return replace(scope, project_id=self.project_id)
