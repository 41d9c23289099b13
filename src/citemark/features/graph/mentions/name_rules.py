"""Which titles and headings are names that other texts may repeat."""

import re

MOST_BEARERS = 25
"""The most documents of a source that may share a name: if more repeat a heading, it is unclear which one is meant."""

_PART_TITLES_TEXT = """
abstract, acknowledgements, acknowledgments, additional context, additional information, additional resources,
advanced, alternatives, alternatives considered, appendix, background, backward compatibility, backwards
compatibility, basic usage, basics, before you begin, best practices, breaking changes, bug fixes, caveats,
changelog, changes, conclusion, considerations, contact, contact information, contents, contributing, copyright,
credits, definitions, deliverables, description, design, details, discussion, documentation, error handling,
example, example usage, examples, faq, features, frequently asked questions, further reading, future work,
general, get help, get started, getting help, getting started, glossary, goals, guidelines, help, history, how
it works, how to use, implementation details, implementation notes, important notes, in scope, index,
installation, introduction, key concepts, key features, known issues, learn more, license, limitations, links,
major changes, migration path, minor changes, more information, motivation, next step, next steps, non-goals,
note, notes, open issues, open questions, options, other, out of scope, outline, output, overview, parameters,
preface, prerequisites, problem statement, purpose, quick start, quickstart, rationale, readme, reference,
reference implementation, reference implementations, references, related documentation, related links, related
work, release notes, request, requirements, response, responsibilities, result, results, return value, returns,
scope, security, security considerations, security implications, see also, setup, solution, specification,
status, summary, support, synopsis, system requirements, table of contents, terminology, testing, tips,
troubleshooting, tutorial, usage, use case, use cases, what's new, what's next, work items,
anhang, beispiel, beispiele, einführung, einleitung, fazit, hinweise, inhalt, quellen, siehe auch,
voraussetzungen, ziele, zusammenfassung, überblick, übersicht
"""
_PART_TITLES = frozenset(" ".join(title.split()) for title in _PART_TITLES_TEXT.split(","))
"""Titles that parts of texts have whatever the text is about."""

_CLAUSE = re.compile(r"(?:how|what|when|where|which|who|why|wie|wann|warum|was|welche|wer|wo)(?!\w)")
_LETTER = re.compile(r"[^\W\d_]")


def names_something(term: str) -> bool:
    """Whether a case-folded title is a name that a text may repeat: not a common part title, a question or a scheme."""
    return (
        len(term) > 1
        and term not in _PART_TITLES
        and _CLAUSE.match(term) is None
        and not term.endswith("/")
        and _LETTER.search(term) is not None
    )
