"""DECISIONS: the rulings of November 2026, P6b, P11 to P13, R21 to R25 and N12 to N14."""

from tests.requirements_data.form import Requirement, met

CLAUSES: tuple[Requirement, ...] = (
    met("json-as-text", "DECISIONS P6b", 15, "A text that is the JSON of the wanted type is read as that value."),
    met("sampling-is-one-way", "DECISIONS P11", 21, "Sampling works in both eras and is never the only way."),
    met("two-lists-of-tools", "DECISIONS P12", 20, "The list of tools is all or core, each within its bytes."),
    met("consent", "DECISIONS P13", 20, "A challenge asks for semantic:read; a token without our scopes gets 403."),
    met("absence-is-told", "DECISIONS R21", 15, "A name that nobody wrote is told and lowers nothing that passes."),
    met("one-gate", "DECISIONS R22", 15, "A hit is shown when its own score passes the threshold."),
    met("reading-is-complete", "DECISIONS R23", 16, "Text means what a person sees, and what is not read is listed."),
    met("evidence-stops", "DECISIONS R24", 17, "Evidence stops at a drop of relevance, after 1,200 to 2,400 bytes."),
    met("what-belongs", "DECISIONS R25", 18, "Ignored files, build outputs and secrets are left out and counted."),
    met("today", "DECISIONS N12", 17, "Every answer knows the date and zone of its reader; past things are marked."),
    met("refused-password", "DECISIONS N13", 21, "A refused password is tried again after minutes, a few times a day."),
    met("addresses-open", "DECISIONS N14", 21, "Addresses of a Nextcloud have /index.php/ in them."),
)
