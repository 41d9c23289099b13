"""DECISIONS P1 to P10: the protocol."""

from tests.requirements_data.form import Requirement, planned

CLAUSES: tuple[Requirement, ...] = (
    planned("P1", "DECISIONS P1", 2, "One server speaks both protocol eras, shown by real clients of each."),
    planned("P2", "DECISIONS P2", 5, "Answers come by client sampling, a provider or quotes, tried in that order."),
    planned("P2-named", "DECISIONS P2", 5, "The result names the way that was taken."),
    planned("P2-extractive", "DECISIONS P2", 5, "Quoting is always possible and deterministic."),
    planned("P2-both-eras", "DECISIONS P2", 5, "Sampling works in both protocol eras."),
    planned("P3", "DECISIONS P3", 5, "Sampling requests leave include_context out."),
    planned("P4", "DECISIONS P4", 5, "The retried call answers from the evidence of the first round."),
    planned("P4-sealed", "DECISIONS P4", 5, "Request state that was changed, expired or is another's is refused."),
    planned("P4-reverify", "DECISIONS P4", 5, "Access to pinned evidence is verified again."),
    planned("P5", "DECISIONS P5", 2, "A passage is a row that every server process of a person can read."),
    planned("P5-handle", "DECISIONS P5", 2, "A handle is 22 random characters."),
    planned("P5-expiry", "DECISIONS P5", 2, "A handle is unknown after 30 minutes."),
    planned("P5-foreign", "DECISIONS P5", 2, "A foreign handle looks like one that never existed."),
    planned("P5-reread", "DECISIONS P5", 2, "A passage's text is read from the store at each use."),
    planned("P5-reauthorise", "DECISIONS P5", 2, "A passage is authorised again at each use."),
    planned("P5-bounded-cache", "DECISIONS P5", 2, "Memory holds at most a bounded cache of passages."),
    planned("P5-namespace", "DECISIONS P5", 2, "The session in a scratch URI is minted by the server."),
    planned("P5-crash", "DECISIONS P5", 2, "Losing the unlogged table in a crash only makes handles unknown."),
    planned("P6", "DECISIONS P6", 2, "tool_names chooses dots, underscores or by client."),
    planned("P6-auto", "DECISIONS P6", 2, "Clients known to refuse dots are listed underscores, others dots."),
    planned("P6-both-called", "DECISIONS P6", 2, "Both spellings can always be called."),
    planned("P7", "DECISIONS P7", 2, "Every tool has both schemas and answers with text and structured content."),
    planned("P7-no-json-text", "DECISIONS P7", 2, "The text never repeats the JSON."),
    planned(
        "P7-is-error", "DECISIONS P7", 2, "A failure is isError with code, message and details, never a plain result."
    ),
    planned("P7-unknown-arguments", "DECISIONS P7", 2, "Unknown arguments are rejected and named."),
    planned("P8", "DECISIONS P8", 3, "Both transports list the same tools, byte for byte."),
    planned("P9-kb-flag", "DECISIONS P9", 2, "MCP_KB_V2_ENABLED, on by default, hides kb and graph when off."),
    planned("P9-structured-flag", "DECISIONS P9", 2, "MCP_STRUCTURED_OUTPUT_ENABLED off gives capped, minified JSON."),
    planned("P10", "DECISIONS P10", 0, "A legacy family exists and is off by default."),
    planned("P10-pipeline", "DECISIONS P10", 0, "Legacy calls go through the same pipeline."),
)
