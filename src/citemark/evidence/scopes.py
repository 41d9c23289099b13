"""The scope that a call runs under."""

from dataclasses import dataclass, replace

from citemark.model.errors import ScopeViolation
from citemark.model.scope import RequestScope
from citemark.settings import Settings


@dataclass(frozen=True, slots=True)
class ScopeDefaults:
    """The server's own project, and the scope of calls that name none."""

    project_id: str
    environment: str | None = None
    doc_tags: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> "ScopeDefaults":
        """Those of the settings."""
        return cls(
            settings.project_id,
            settings.default_environment,
            settings.default_doc_tags,
            settings.default_repositories,
        )

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
            scope = replace(scope, environment=self.environment, doc_tags=self.doc_tags, repositories=self.repositories)
        return replace(scope, project_id=self.project_id)
