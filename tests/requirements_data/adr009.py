"""ADR-009: one scope for semantic search, and two phases of authorisation."""

from tests.requirements_data.form import Requirement, met, out_of_scope, overruled

CLAUSES: tuple[Requirement, ...] = (
    met(
        "searching-needs-semantic-read",
        "ADR-009 decision",
        2,
        "Searching and answering need semantic:read, and only it.",
        also=("ADR-008 API", "ADR-009 tools", "TOOLS common"),
    ),
    met(
        "switching-sync-needs-semantic-write",
        "ADR-009 decision",
        4,
        "Turning the sync on or off needs semantic:write.",
        also=("ADR-009 tools",),
    ),
    met(
        "app-scopes-do-not-count",
        "ADR-009 decision",
        4,
        "App scopes neither suffice nor are needed.",
        also=("ADR-009 options",),
    ),
    met(
        "nc-search-defaults",
        "ADR-009 tools",
        4,
        "nc_semantic_search returns 10 documents of at least 0.7 by default.",
    ),
    met(
        "sync-status-tells-counts-and-state",
        "ADR-009 tools",
        4,
        "The status tells indexed and pending counts and a state.",
    ),
    met("enabling-concerns-the-asker-alone", "ADR-009 tools", 4, "Enabling concerns the asking user alone."),
    met(
        "enabling-may-name-apps",
        "ADR-009 related",
        4,
        "Enabling may name the apps to index.",
        also=("ADR-009 consequences",),
    ),
    met(
        "every-hit-checked-as-that-user",
        "ADR-009 phases",
        4,
        "Phase two checks every document of every app as that user.",
        "N6",
    ),
    overruled("only-403-and-404-hide", "ADR-009 phases", "N6", "Only 403 and 404 keep a document from being shown."),
    met(
        "scopes-are-in-resource-metadata",
        "ADR-009 discovery",
        12,
        "The scopes are advertised as protected-resource metadata.",
    ),
    met("scopes-are-documented", "ADR-009 discovery", 4, "The scopes are described for users."),
    overruled(
        "clients-register-with-the-scopes", "ADR-009 discovery", "P13", "Clients register with the scopes by default."
    ),
    out_of_scope(
        "users-authenticate-again", "ADR-009 migration", "no earlier release of ours exists", "Users re-authenticate."
    ),
    out_of_scope("a-scope-for-each-app", "ADR-009 alternatives", "the seed rejects it", "Each app has its own scope."),
    met(
        "login-flow-tested-with-semantic-read", "ADR-009 checklist", 12, "The OAuth flow is tested with semantic:read."
    ),
)
