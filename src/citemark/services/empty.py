"""Why nothing was found: one of seven reasons, each with what to do next. Every face prints what is decided here."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from citemark.model.accounts import Renewal, apps_of
from citemark.model.completeness import ALL_READ, Reading
from citemark.retrieval.absence import ALSO
from citemark.text.languages import UNKNOWN

if TYPE_CHECKING:  # a server that starts loads this module for the names of arguments alone
    from citemark.model.sources import Source
    from citemark.model.status import SourceState

EmptyReason = Literal[
    "nothing_answers", "no_source", "not_indexed_yet", "switched_off", "password_refused", "all_withheld", "language"
]

_BY_COMMAND = Renewal()

_NAMED = 3
"""The most sources that a message names; it only counts the rest."""

_LEAST_STOP_WORDS = 2
"""How many more stop words a question needs in its own language than in a document's; names and terms have none."""

_MOST = 0.5
"""Share of documents in other languages above which the language, not the question, is why nothing was found."""


@dataclass(frozen=True, slots=True)
class EmptyResult:
    """Why a result is empty, in plain words, and what the caller can do about it.

    `says_absent`: the message says that the documents do not say.
    """

    reason: EmptyReason
    message: str
    next_step: str
    says_absent: bool = False

    @property
    def text(self) -> str:
        """The message and the next step in one line."""
        return f"{self.message} {self.next_step}"


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of the tool at hand that an advice may name; "" for one that it does not have."""

    also: str = ALSO
    threshold: str = ""


TOOL_ARGUMENTS = Arguments()


@dataclass(frozen=True, slots=True)
class AskedSource:
    """A source that was searched. `apps` are those of an account that the question is about; empty for all of them.

    `renewal`: how the caller can renew the login of an account.
    """

    source: "Source"
    state: "SourceState"
    apps: tuple[str, ...] = ()
    renewal: Renewal = _BY_COMMAND

    @property
    def lacks_apps(self) -> bool:
        """Whether none of the apps that the question is about is indexed."""
        return bool(self.apps) and not set(self.apps) & set(apps_of(self.source))

    @property
    def obstacle(self) -> EmptyReason | None:
        """Why the source could not be searched completely; None if it could."""
        if not self.source.followed or self.lacks_apps:
            return "switched_off"
        if self.state.refused:
            return "password_refused"
        state = self.state
        if state.last_complete_scan is None or state.scan_error or state.texts_waiting or state.vectors_waiting:
            return "not_indexed_yet"
        return None


@dataclass(frozen=True, slots=True)
class EmptySearch:
    """The facts about a search that shows nothing.

    `withheld` counts hits that their source could not vouch for. `scoped` and `filtered` mean that only some sources,
    or some of their documents, were searched. `other_languages` are the languages of the documents, if most are in
    another language than the question. `below_threshold`: something may answer, but does not reach the caller's score.
    `denied` counts hits that their source has just said are gone, or may not be read by this caller. `reading` is how
    far the sources were read when the search began.
    """

    sources: Sequence[AskedSource]
    withheld: int = 0
    scoped: bool = False
    filtered: bool = False
    other_languages: tuple[str, ...] = ()
    below_threshold: bool = False
    arguments: Arguments = TOOL_ARGUMENTS
    denied: int = 0
    reading: Reading = ALL_READ


def explain(search: EmptySearch, nothing: EmptyResult | None = None) -> EmptyResult:
    """The reason why a search shows nothing; it is that nothing answers only if everything could be searched.

    `nothing` is what to say in that case about a list or a walk, which does not look for words.
    """
    if not search.sources:
        return no_source(scoped=search.scoped)
    held_back = None if _blocked(search, "password_refused") else _held_back(search)
    if held_back is not None:
        return held_back
    for reason, describe in _OBSTACLES.items():
        blocked = _blocked(search, reason)
        if blocked:
            return describe(blocked)
    if not search.reading.settled:
        return EmptyResult(
            "not_indexed_yet",
            "Nothing was found in what has been read so far.",
            "Ask again in a moment; `citemark status` shows what waits.",
        )
    if search.other_languages:
        languages = " and ".join(name.capitalize() for name in search.other_languages)
        return EmptyResult(
            "language",
            f"Nothing was found, and most documents are in another language than the question: in {languages}.",
            f"Ask in {languages}; a multilingual embedding model finds documents across languages.",
        )
    found = nothing or nothing_answers(
        narrowed=search.scoped or search.filtered, below=search.below_threshold, arguments=search.arguments
    )
    failed = search.reading.failed
    if failed:
        documents = "1 document" if failed == 1 else f"{failed:,} documents"
        unread = f"{documents} could not be read; `citemark problems` lists {'it' if failed == 1 else 'them'}."
        found = replace(found, message=f"{found.message} {unread}")
    return found


def _held_back(search: EmptySearch) -> EmptyResult | None:
    """The result if hits were found that their source did not let through; None if there were none."""
    if search.withheld:
        return EmptyResult(
            "all_withheld",
            f"{search.withheld} {'hit was' if search.withheld == 1 else 'hits were'} found and withheld: the source "
            "could not confirm just now that they may be read and are unchanged.",
            "Ask again in a moment; `citemark status` says whether the source has a problem.",
        )
    if search.denied:
        return EmptyResult(
            "all_withheld",
            f"{search.denied} {'hit was' if search.denied == 1 else 'hits were'} found and denied: the source does not "
            "offer you the document any more.",
            "What it has removed or leaves out goes from the index by itself; its owner can share it with you again.",
        )
    return None


def nothing_answers(
    *, narrowed: bool = False, below: bool = False, arguments: Arguments = TOOL_ARGUMENTS
) -> EmptyResult:
    """The result if everything was searched, and nothing answers.

    Args:
        narrowed: only some sources or documents were searched.
        below: something may answer, but does not reach the score threshold.
        arguments: those of the tool at hand.
    """
    less = " without the scope and filters, or" if narrowed else ""
    where = f" in {arguments.also}" if arguments.also else ""
    lower = f" A lower {arguments.threshold} shows weaker hits." if arguments.threshold else ""
    return EmptyResult(
        "nothing_answers",
        "No passage reaches the score threshold; everything in scope that can be read was searched."
        if below
        else "The documents do not say: nothing relevant enough was found for these words, and everything in scope "
        "that can be read was searched.",
        f"Ask again{less} with other phrasings{where}: terms that the documents may use, the sentence that would "
        f"answer.{lower}",
        says_absent=not below,
    )


def nothing_in_passages() -> EmptyResult:
    """The result if the given passages do not answer."""
    return EmptyResult(
        "nothing_answers",
        "These passages do not say: nothing in them answers the question in these words.",
        "Ask with other phrasings in `also` or with other passages; kb_retrieve_evidence looks in all documents.",
    )


def no_part(noun: str, *, filtered: bool) -> EmptyResult:
    """The result if no element or view (the `noun`) is to be listed, or none that passes the filters."""
    if filtered:
        message = f"The models have no {noun} that passes all the filters."
        return EmptyResult("nothing_answers", message, "Leave out a filter; without any, the list shows what there is.")
    return EmptyResult(
        "nothing_answers", f"The models have no {noun}s.", "`citemark problems` lists what could not be read of them."
    )


def no_relationship(*, filtered: bool) -> EmptyResult:
    """The result if there is no relationship to list, or none of the requested element, types and direction."""
    if filtered:
        return EmptyResult(
            "nothing_answers",
            "No relationship has this element, type and direction.",
            "Leave out `type` or `direction`; `element` alone lists all relationships of an element.",
        )
    return EmptyResult(
        "nothing_answers",
        "The models have no relationships.",
        "`citemark problems` lists what could not be read of them.",
    )


def no_path(max_hops: int, *, cut: bool) -> EmptyResult:
    """The result if no path of up to `max_hops` edges was found; `cut`: before the walk reached its limit."""
    if cut:
        return EmptyResult(
            "nothing_answers",
            "No path was found before the search reached its limit.",
            "Ask with some `rel_types`, a smaller `max_hops` or other nodes.",
        )
    return EmptyResult(
        "nothing_answers",
        f"No path of at most {max_hops} hop{'' if max_hops == 1 else 's'} connects these nodes.",
        "Allow more `max_hops` (5 at most) or other `rel_types`, or ask what each of the nodes is related to.",
    )


def nothing_related() -> EmptyResult:
    """The result if nothing is related to the given nodes in the requested way."""
    return EmptyResult(
        "nothing_answers",
        "Nothing is related to these nodes in this way.",
        "Ask in both directions and without `rel_types`: that shows everything that they are related to.",
    )


def nothing_to_walk(*, documents: bool) -> EmptyResult:
    """The result if everything within a scope was read, and that is nothing, or `documents` without relationships."""
    found = "no relationship was found in their documents" if documents else "have no document"
    return EmptyResult(
        "nothing_answers",
        f"The sources within it are read completely, and {found}.",
        "`citemark sources` shows what each of them reads, `citemark problems` what could not be read.",
    )


def nothing_known() -> EmptyResult:
    """The result if none of the given ids names anything that the caller may see."""
    return EmptyResult(
        "nothing_answers",
        "None of these ids names anything that you may see now.",
        "Search again: passages that are found have ids, and so has everything that is related to them.",
    )


def other_languages(stop_words: Mapping[str, int], documents: Mapping[str, int]) -> tuple[str, ...]:
    """The languages of the documents, most frequent first, if most differ from that of the question; else none.

    Args:
        stop_words: how many words of the question are stop words, by language.
        documents: how many documents are in each language.
    """
    own_stop_words = max(stop_words.values(), default=0)
    foreign = {
        name: count
        for name, count in documents.items()
        if name != UNKNOWN and own_stop_words - stop_words.get(name, 0) >= _LEAST_STOP_WORDS
    }
    if sum(foreign.values()) <= _MOST * sum(documents.values()):
        return ()
    return tuple(name for name, _ in Counter(foreign).most_common(_NAMED))


def no_source(*, scoped: bool = False) -> EmptyResult:
    """The result if there is no source to search, or none within the scope."""
    if scoped:
        message = "None of the sources that you may read is within this scope."
        return EmptyResult("no_source", message, "Leave the scope out, or see in kb_list_sources what there is.")
    return EmptyResult(
        "no_source",
        "There is no source to search.",
        "`citemark add FOLDER` or `citemark add nextcloud URL` adds one, `citemark status` lists the existing ones.",
    )


def _blocked(search: EmptySearch, reason: EmptyReason) -> list[AskedSource]:
    return [entry for entry in search.sources if entry.obstacle == reason]


def _password_refused(blocked: Sequence[AskedSource]) -> EmptyResult:
    refusals = " ".join(entry.state.refused for entry in blocked[:_NAMED])
    return EmptyResult(
        "password_refused",
        f"Not everything could be searched. {refusals}",
        " ".join(dict.fromkeys(entry.renewal.advice(entry.source.name) for entry in blocked[:_NAMED])),
    )


def _switched_off(blocked: Sequence[AskedSource]) -> EmptyResult:
    off = [entry for entry in blocked if not entry.source.followed]
    partly = [entry for entry in blocked if entry.source.followed]
    parts = [f"{_names(off)} {_are(off)} switched off and not indexed"] if off else []
    if partly:
        apps = ", ".join(dict.fromkeys(app for entry in partly for app in entry.apps))
        parts.append(f"{_names(partly)} {_are(partly)} indexed without {apps}")
    return EmptyResult(
        "switched_off",
        f"Not everything could be searched: {'; '.join(parts)}.",
        f"nc_enable_vector_sync switches {'it' if off else 'them'} on.",
    )


def _not_indexed_yet(blocked: Sequence[AskedSource]) -> EmptyResult:
    texts = sum(entry.state.texts_waiting for entry in blocked)
    vectors = sum(entry.state.vectors_waiting for entry in blocked)
    unscanned = [entry for entry in blocked if entry.state.last_complete_scan is None]
    failed = [entry for entry in blocked if entry.state.scan_error]
    waiting = [
        *([_waits(texts, "document", "to be read")] if texts else []),
        *([_waits(vectors, "passage", "for vectors")] if vectors else []),
        *([f"{_names(unscanned)} {_are(unscanned)} not completely listed yet"] if unscanned else []),
        *(f"the last scan of {entry.source.name} was incomplete: {entry.state.scan_error}" for entry in failed[:1]),
    ]
    name = blocked[0].source.name
    return EmptyResult(
        "not_indexed_yet",
        f"Not everything could be searched: {'; '.join(waiting).rstrip('.')}.",
        f"Ask again later; `citemark status` shows how far it is, `citemark sync {name}` does it now.",
    )


def _waits(count: int, noun: str, what: str) -> str:
    return f"1 {noun} waits {what}" if count == 1 else f"{count:,} {noun}s wait {what}"


def _names(blocked: Sequence[AskedSource]) -> str:
    names = ", ".join(entry.source.name for entry in blocked[:_NAMED])
    return names if len(blocked) <= _NAMED else f"{names} and {len(blocked) - _NAMED} more"


def _are(blocked: Sequence[AskedSource]) -> str:
    return "is" if len(blocked) == 1 else "are"


_OBSTACLES: Mapping[EmptyReason, Callable[[Sequence[AskedSource]], EmptyResult]] = MappingProxyType(
    {
        "password_refused": _password_refused,
        "switched_off": _switched_off,
        "not_indexed_yet": _not_indexed_yet,
    }
)
"""The obstacles that keep sources from being searched, most serious first."""
