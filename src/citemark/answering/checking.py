"""Checks an answer: resolves citations, and compares sentences with what they cite and claims with all documents."""

from collections.abc import Sequence

from citemark.answering.answer_sentences import Part, parts_of
from citemark.answering.checked import CheckedAnswer, CheckedSentence, SourceText, Standing, Support
from citemark.answering.citations import Mention, mentions, without_missing
from citemark.answering.claims import Known, shown_texts, unknown_claims
from citemark.answering.support import THRESHOLD, SupportClassifier
from citemark.answering.verbatim import SourceWords, on_one_line


def check(
    answer_text: str,
    documents: Sequence[SourceText],
    found: Sequence[Mention] | None = None,
    *,
    quotes: bool = False,
) -> CheckedAnswer:
    """Check an answer against the documents it was made from.

    `found` are its citations if they are already known; anything else that looks like a citation is then ordinary text.
    `quotes` means that all of it was copied from the documents, so that any of their words are supported, even if they
    are only a part of a sentence.

    The check is deterministic and uses no model; it takes time linear in the answer times the documents. It blocks for
    some milliseconds, so callers in an event loop should move it to a thread.
    """
    found = mentions(answer_text) if found is None else found
    given = frozenset(document.number for document in documents)
    cleaned = without_missing(answer_text, found, given)
    bare = blanked(answer_text, found)
    classifier = SupportClassifier(documents)
    known = Known(shown_texts(documents))
    texts = {document.number: SourceWords(document.text) for document in documents}
    sentences: list[CheckedSentence] = []
    claims: dict[str, None] = {}
    for part in parts_of(answer_text, found, known):
        sentence = part.span.of(bare)
        cited = tuple(number for number in part.numbers if number in given)
        score, support = classifier.support(sentence, cited or tuple(given)) if part.claims else (0.0, None)
        words = on_one_line(sentence)
        sources = [texts[number] for number in cited] if part.claims else []
        verbatim = any(source.contain(words) if quotes else source.state(words) for source in sources)
        invented = [claim.of(sentence) for claim in unknown_claims(sentence, known)] if part.claims else []
        claims.update(dict.fromkeys(invented))
        span = cleaned.moved(part.span)
        sentences.append(
            CheckedSentence(
                text=span.of(cleaned.text),
                span=span,
                cited=cited,
                missing=tuple(number for number in part.numbers if number not in given),
                standing="supported" if verbatim else _standing(part, cited, 0.0 if invented else score, support),
                support=support,
            )
        )
    missing = sorted({number for mention in found for number in mention.numbers} - given)
    return CheckedAnswer(
        text=cleaned.text,
        sentences=tuple(sentences),
        out_of_range=tuple(missing),
        removed=cleaned.removed,
        unsupported_claims=tuple(claims),
    )


def claims_no_matter(answer_text: str, documents: Sequence[SourceText]) -> bool:
    """True for an answer that only says that it has none: nothing in it claims anything or cites a document."""
    known = Known(shown_texts(documents))
    return not any(part.claims for part in parts_of(answer_text, mentions(answer_text), known))


def blanked(text: str, found: Sequence[Mention]) -> str:
    """`text` with blanks in place of its citations, because their numbers are not claims."""
    pieces: list[str] = []
    at = 0
    for mention in found:
        pieces += [text[at : mention.span.start], " " * len(mention.span)]
        at = mention.span.end
    return "".join([*pieces, text[at:]])


def _standing(part: Part, cited: tuple[int, ...], score: float, support: Support | None) -> Standing:
    if not part.claims:
        return "no_claim"
    if not cited:
        return "no_such_document" if part.numbers else "uncited"
    if score < THRESHOLD:
        return "unsupported"
    return "unproven" if support is None else "supported"
