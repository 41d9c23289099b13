"""Sentences of an answer that claim nothing: about the conversation itself, or about what the documents do not say.

No list of phrases decides it, but words and who speaks: a clause is about the conversation if all its meaningful words
are, or if the writer of the answer speaks of themselves with such a word ("I can also explain ..."). A clause tells a
gap if a denial is next to a word of telling, and the documents or the writer are who tells. Whatever has a number or
name of its own claims something in either case; of a gap only what follows its question does. When in doubt, a
sentence claims something: it is then marked as lacking a citation, which is true.
"""

import re
from collections.abc import Set as AbstractSet

from citemark.answering.claims import Known, unknown_claims
from citemark.answering.wording import denies, stem, terms
from citemark.text.letter_case import caseless

_FEW_WORDS = 2
"""Up to two words without a digit ("Of course.") say nothing that could be checked."""

_NEAR = 4
"""How many words may stand between a word of telling and its denial: "sagen die Dokumente dazu nichts"."""

_CLAUSES = re.compile(
    r"[,;:\u2013\u2014!.?]+(?:\s|$)|[()]|\s-\s|"
    r"\s(?:and|but|so|because|while|although|though|whereas|however|except|that|yet|therefore|"
    r"und|aber|sondern|weil|während|obwohl|daher|deshalb|jedoch|allerdings|außer|dass|"
    r"et|mais|car|donc|cependant|que|alors)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\W_]+n['\u2019]t\b|[^\W_]+['\u2019](?=\w)|[^\W_]+", re.IGNORECASE)
"""A word: "don't" whole, "j'espère" as two."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(caseless(word)) for word in words.split())


# fmt: off
_TALK = _stems(
    "hope hopefully help helpful problem thing main important thank thanks please welcome sorry afraid "
    "unfortunately regrettably sadly certainly sure course happy glad pleasure gladly feel free let know ask tell "
    "question answer explain elaborate clarify summarise summarize summary overview detail details further more "
    "information example list point points following here below above brief short quick good great excellent "
    "interesting note see look reach contact follow anything something else available provide provided give given "
    "say documents sources passages excerpts context text find found based in hoffe hoffen hoffentlich wichtig "
    "hilft helfen hilfe danke dank vielen bitte gern gerne leider schade natürlich klar selbst frage fragen "
    "antwort antworten erklären erläutern zusammenfassung zusammenfassen zusammengefasst überblick übersicht "
    "einzelheiten weiteren weitere mehr kurz kurzer kurze gute gut interessante hier folgend folgende melden "
    "meldet melde wissen lassen lass sagen sag beachten punkte liste tut leid jederzeit ihnen weiter dokumente "
    "dokumenten quellen auszüge auszügen espère espérer aide aider aidé merci plaît volontiers désolé "
    "malheureusement bien sûr questions réponse répondre expliquer résumer résumé aperçu détails davantage plus "
    "informations exemple voici suivants hésitez demander savoir dire bonne excellente bref cela ça extraits "
    "asking asked"
)
"""Words about the conversation itself."""

_SPEAKING = _stems(
    "hope help thank thanks ask know explain elaborate clarify summarise summarize answer look list hoffe hoffen "
    "danke dank helfen erklären erläutern zusammenfassen antworten beantworten nachsehen espère merci aider "
    "expliquer résumer répondre préciser"
)
"""What the writer of an answer does in it."""

_TELLING = _stems(
    "say says state states mention mentions specify tell explain describe answer address discuss indicate define "
    "name clarify refer cover detail said stated mentioned specified described found find locate determine see "
    "sagen sagt nennen nennt erwähnen erwähnt beschreiben erklären beantworten behandeln angeben angegeben hervor "
    "entnehmen finden gefunden feststellen ermitteln genannt steht stehen eingehen disent dit mentionnent "
    "mentionne précisent précise indiquent indique expliquent décrivent parlent trouvé trouve trouver déterminer "
    "donnée donné mentionné précisé"
)
_HOLDING = _stems(
    "contain contains include includes give gives provide provides list lists have has offer enthalten enthält "
    "geben gibt liefern liefert gehen geht contiennent contient donnent donne fournissent"
)
_INFORMATION = _stems(
    "information detail details mention answer anything guidance angaben angabe informationen hinweis hinweise "
    "auskunft antwort aussagen einzelheiten informations indication réponse"
)
_SOURCES = _stems(
    "document documents doc docs source sources excerpt excerpts extract passage passages snippet context text "
    "texts dokument dokumente dokumenten quelle quellen auszug auszüge auszügen texte texten textstellen passagen "
    "extrait extraits textes"
)
_WRITER = frozenset({"i", "me", "my", "we", "us", "ich", "mich", "mir", "wir", "uns", "je", "j", "moi", "nous"})
_READER = frozenset({"you", "your", "sie", "ihnen", "ihre", "du", "dir", "dich", "vous", "votre", "tu", "te"})
_WISHING = _stems("need want like wish have brauchen möchten haben wünschen wissen voulez souhaitez avez désirez")
_IF = frozenset({"if", "should", "falls", "wenn", "sollten", "si"})
_ASKING = frozenset({
    "whether", "when", "how", "why", "what", "who", "whom", "whose", "where", "which", "if",
    "ob", "wann", "wie", "warum", "weshalb", "wieso", "wer", "wem", "wen", "was", "wo", "woher", "welche", "welcher",
    "welches", "welchen", "si", "quand", "comment", "pourquoi", "qui", "quoi", "où", "quel", "quelle", "combien",
})
_TOPIC = frozenset({
    "as", "about", "regarding", "concerning", "besides", "beyond", "based", "in", "from", "according", "zu", "zum",
    "zur", "dazu", "darüber", "hierzu", "über", "bezüglich", "aus", "concernant", "quant", "sur", "dans", "selon",
})
_ONLY = frozenset({"only", "nur", "seulement"})
_BEFORE_VERBS = frozenset({"not", "never", "cannot", "neither", "nor", "without", "ohne", "sans", "n", "ne"})
# fmt: on


def claims_nothing(sentence: str, known: Known) -> bool:
    """True for few words, for what is about the conversation, and for what the documents do not say.

    A sentence that goes on with something else ("They do not say when, but it costs five euros.") does claim that.

    Args:
        sentence: a whole sentence, its citations blanked.
        known: what the documents contain; a number or name that they lack is a claim in an offer, too.
    """
    sentence = " ".join(sentence.split())
    if _is_short(sentence):
        return True
    clauses = [_Clause(part) for part in _CLAUSES.split(sentence) if _WORD.search(part)]
    sources = any(clause.names_sources for clause in clauses)
    told = [clause.tells_a_gap(sources_named=sources) for clause in clauses]
    spoken = [clause.is_conversation(known) for clause in clauses]
    asked, gap_follows = any(told) or any(spoken), False
    for clause, gap, talk in zip(reversed(clauses), reversed(told), reversed(spoken), strict=True):
        gap_follows = gap_follows or gap
        beside = asked and clause.is_beside(known, gap_follows=gap_follows)
        if not (gap or talk or clause.is_short or beside):
            return False
    return True


def _is_short(text: str) -> bool:
    return len(_WORD.findall(text)) <= _FEW_WORDS and not any(map(str.isdigit, text))


class _Clause:
    """One clause, its words in order and what they are about."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = [caseless(match[0]).rstrip("'\u2019") for match in _TOKEN.finditer(text)]
        self._stems = [stem(word) for word in self._words]
        self._content = frozenset(term.stem for term in terms(text))
        self.is_short = _is_short(text) and (len(self._content) < _FEW_WORDS or self._content <= _TALK)

    @property
    def names_sources(self) -> bool:
        """Whether it names the documents."""
        return bool(_SOURCES.intersection(self._stems))

    def tells_a_gap(self, *, sources_named: bool) -> bool:
        """Whether it says that the documents, which the sentence names, or the writer do not say something."""
        by_whom = sources_named or _WRITER.intersection(self._words)
        if not by_whom or not denies(self._text) or _ONLY.intersection(self._words):
            return False
        if self._is_denied(_TELLING):
            return True
        if not sources_named:
            return False
        figures = any(map(str.isdigit, self._text))
        return self._is_denied(_INFORMATION) or (not figures and self.names_sources and self._is_denied(_HOLDING))

    def _is_denied(self, stems: AbstractSet[str]) -> bool:
        """Whether a denial is before one of these words, or one that may follow a verb ("says nothing") after it."""
        for at, each in enumerate(self._stems):
            if each not in stems:
                continue
            after = (word for word in self._words[at + 1 : at + 1 + _NEAR] if word not in _BEFORE_VERBS)
            if any(map(denies, self._words[max(0, at - _NEAR) : at])) or any(map(denies, after)):
                return True
        return False

    def is_conversation(self, known: Known) -> bool:
        """Whether it is about the conversation, and names nothing that the documents lack."""
        own = self._content - _TALK
        first = self._words[0] if self._words else ""
        writer = bool(_WRITER.intersection(self._words)) and bool(_SPEAKING.intersection(self._stems))
        wishes = first in _IF and not _READER.isdisjoint(self._words) and not (_TALK | _WISHING).isdisjoint(self._stems)
        # "Feel free to ask about shares.", "Here is an overview of the pump.": more talk than topic, and a known topic.
        talk = len(self._content & _TALK)
        about = talk >= max(_FEW_WORDS, len(own)) and own <= known.stems
        return (not own or writer or wishes or about) and not self._is_specific(known)

    def is_beside(self, known: Known, *, gap_follows: bool) -> bool:
        """Whether it asks what another clause does not answer, or names the topic of a gap that follows."""
        first = self._words[0] if self._words else ""
        return first in _ASKING or (first in _TOPIC and gap_follows and not self._is_specific(known))

    def _is_specific(self, known: Known) -> bool:
        return bool(unknown_claims(self._text, known)) or any(
            word.isdigit() and word not in known.amounts for word in self._words
        )
