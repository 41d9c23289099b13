"""Sentences of an answer that claim nothing: polite phrases, offers, and what the documents do not say."""

import re

from citemark.answering.amounts import amounts
from citemark.answering.proper_names import code_spans, in_german, proper_names

_FEW_WORDS = 2
"""Up to two words without a digit ("Of course.") say nothing that could be checked."""

_WORD = re.compile(r"[^\W_]+")
_OPENER = re.compile(
    r"\A(?:(?:sure(?:\s+thing)?|certainly|of\s+course|absolutely|no\s+problem|(?:my|with)\s+pleasure|"
    r"i(?:['\u2019]m|\s+am)\s+(?:sorry|afraid)|sorry|unfortunately|sadly|regrettably|however|"
    r"(?:es\s+)?tut\s+mir\s+leid|leider)\b[,.!]*\s*(?:(?:but|that|aber)\b\s*)?){1,3}",
    re.IGNORECASE,
)
"""What may come before a polite phrase or a statement about the documents, and before any other sentence too."""

_TURN = re.compile(
    r",?\s+(?:but|although|though|whereas|aber|obwohl|sondern)\b[,\s]*|"
    r",\s+(?:so(?!\s+that\b)|therefore|thus|however|yet|daher|deshalb|jedoch|allerdings|doch)\b[,\s]*|"
    r"[;:]\s+|\s*\u2014\s*|\s+[\u2013-]\s+",
    re.IGNORECASE,
)
"""Where a sentence goes on with something of its own."""

_ADDITION = re.compile(r",\s+(?:and|which|says?|und)\b", re.IGNORECASE)
_JOINED = re.compile(
    r",(?!\s+(?:whether|when|how|why|what|who|where|which|that|ob|wann|wie|warum|wer|was|wo|welche\w?|dass)\b)|\(|"
    r"\s(?:and|while|as|because|except|who|which|und|w\u00e4hrend|weil|au\u00dfer)\b",
    re.IGNORECASE,
)
"""Where something of its own may begin without a sign of it: only figures after it are taken for a claim."""

# Whole sentences, which may name anything: an offer to explain something does not claim it.
_TAIL = r"[^.,\u2013\u2014]*[.!]*"
_QUIET_TAIL = (
    r"(?:(?!\b(?:must|shall|should|may|can|is|are|was|were|has|have|had|who|that|costs?|owes?|owed|paid|requires?|needs?|"
    r"muss|soll|ist|sind|war|hat|kostet|der|die|das)\b)[^.,\u2013\u2014])*[.!]*"
)
"""The rest of a sentence without a verb of its own, which could claim something."""

_WHOLLY_POLITE = re.compile(
    rf"(?:(?:i|we)\s+)?hope(?:fully)?\s+(?:this|that|it|these|the\s+above)\s+(?:\w+\s+)?"
    rf"(?:helps?|helped|answers?|clarif(?:y|ies)|(?:is|was|are|were)\s+(?:helpful|useful))\b{_TAIL}|"
    rf"(?:please\s+)?(?:just\s+)?(?:let\s+(?:me|us)\s+know|tell\s+me|ask\s+me)\s+(?:if|whether|what|which)\s+"
    rf"(?:you|there|i|this|that|any\w*|more|something|else)\b{_TAIL}|"
    rf"(?:please\s+)?feel\s+free\s+to\s+(?:ask\s+(?:me|us|again|away|more|if|about|any|for\s+more|further|follow-up)|"
    rf"contact\s+(?:me|us)|reach\s+out|let\s+(?:me|us)\s+know|follow\s+up)\b{_TAIL}|"
    rf"(?:if\s+you\s+(?:have|need|want|would\s+like|['\u2019]?d\s+like|wish|are\s+interested)\b[^.,]{{0,120}},\s*)?"
    rf"(?:(?:just\s+|please\s+)?(?:ask|let\s+me\s+know|tell\s+me)(?:\s+(?:me|again))?[.!]*|"
    rf"i(?:\s+(?:can|could|will|would)|['\u2019](?:ll|d))\s+(?:also\s+|gladly\s+|be\s+(?:happy|glad)\s+to\s+){{0,2}}"
    rf"(?:(?:explain|summari[sz]e|go\s+into|look|help|elaborate)\b{_TAIL}|(?:provide|give|list)\b[^.,\u2013\u2014\d]*[.!]*)|"
    rf"(?:i(?:['\u2019]m|\s+am)\s+)?(?:happy|glad)\s+to\s+(?:help|explain|elaborate|answer|summari[sz]e)\b{_TAIL})|"
    rf"(?:thanks|thank\s+you)\s+for\s+(?:asking|(?:your|the)\s+(?:question|interest|patience|message|request))\b{_QUIET_TAIL}|"
    rf"(?:that(?:['\u2019]s|\s+is)\s+)?(?:an?\s+)?(?:good|great|interesting|excellent)\s+question\b{_TAIL}|"
    rf"(?:here(?:\s+(?:is|are|comes?)|['\u2019]s)|below\s+(?:is|are))\b[^.,]{{0,60}}\b(?:summary|overview|answers?|points?|"
    rf"facts|details|list|what\s+(?:i|we|the\s+(?:documents?|sources?|excerpts?|passages?|context|text)))\b{_QUIET_TAIL}|"
    rf"(?:hier|im\s+folgenden)\b\s*(?:ist|sind|kommt|folgt|findest|finden|die|eine|das)?\b[^.,]{{0,60}}"
    rf"\b(?:überblick|übersicht|zusammenfassung|antwort|punkte|fakten|liste)\b{_QUIET_TAIL}",
    re.IGNORECASE,
)
# How polite phrases begin. What follows may be anything, so these claim something if they have figures or names.
_POLITENESS = re.compile(
    r"(?:(?:i|we)\s+)?hope(?:fully)?\s+(?:this|that|it|these)\b|i\s+hope\b|"
    r"(?:please\s+)?(?:just\s+)?(?:let|tell)\s+(?:me|us)\b|(?:just\s+)?ask\s+(?:me\s+)?if\b|"
    r"(?:please\s+)?feel\s+free(?:\s+to\s+(?:ask|contact|reach|get\s+in\s+touch|let|tell|write|follow|share|request|"
    r"specify|clarify)\b|[.!]*$)|"
    r"if\s+you\s+(?:have|need|want|would\s+like|are\s+interested)\b.{0,200}\b(?:ask|let\s+me|tell\s+me|i\s+can|happy|glad)\b|"
    r"(?:i(?:['\u2019]m|\s+am|['\u2019]d|\s+would)?\s+(?:be\s+)?)?(?:happy|glad)\s+to\b|"
    r"i\s+(?:can|could|will|['\u2019]ll)\s+(?:also\s+|gladly\s+)?"
    r"(?:explain|summari[sz]e|go\s+into|look|provide|give|list|tell|help|elaborate)\b|"
    r"(?:that(?:['\u2019]s|\s+is)\s+(?:a|an)\s+)?(?:good|great|interesting|excellent)\s+question\b|"
    r"thank(?:s|\s+you)\b(?!\s+to\b)|you(?:['\u2019]re|\s+are)\s+welcome\b(?!\s+to\b)|here\s+you\s+(?:are|go)[.!]*$|"
    r"(?:here(?:\s+(?:is|are|comes?)|['\u2019]s)|below\s+(?:is|are)|the\s+following)\b[^.]{0,60}"
    r"\b(?:summary|overview|answers?|points?|facts|details|list|what\s+(?:i|the))\b[^.]{0,40}[.!]?$|"
    r"(?:please\s+)?note\s+the\s+following\b|in\s+(?:short|summary|brief)[.:]?$|"
    r"(?:to\s+(?:sum|summari[sz]e)|summary|overview)[^.]{0,20}[.:]$|let\s+(?:me|us|['\u2019]s)\s+\w+[^.]{0,40}[.!]?$",
    re.IGNORECASE,
)
_GERMAN_POLITENESS = re.compile(
    r"(?:das\s+ist\s+eine\s+)?gute\s+frage\b|(?:ich|wir)\s+hoffen?\b|hoffentlich\s+hilft\b|danke\b|vielen\s+dank\b|"
    r"gerne?\b[^.]{0,40}[!.]?$|(?:bitte\s+)?beachten?\s+(?:sie\s+)?(?:bitte\s+)?(?:die\s+)?folgende|"
    r"melde(?:n\s+sie)?\s+(?:dich|sich)\b|"
    r"(?:bei|falls|wenn)\b.{0,200}\b(?:fragen|hilfe|mehr)\b.{0,200}\b(?:ich|mich|melden?|fragen|bescheid)\b|"
    r"(?:lass|lassen|sag|sagen)\s+(?:sie\s+)?(?:es\s+)?(?:mich|mir)?\s*.{0,200}\b(?:bescheid|wissen)\b|"
    r"(?:(?:kurz\s+)?zusammengefasst|zusammenfassung|überblick)[.:]?$",
    re.IGNORECASE,
)

_GIVEN = (
    r"(?:(?:document|provided|given|available|retrieved|supplied|cited|quoted|listed|shown|attached|relevant|numbered|above|"
    r"present|current|source|search|other|remaining|two|three|four|five|found)\s+)"
)
_DOCUMENTS = (
    rf"(?:(?:(?:any|all|both)\s+of\s+)?(?:the|these|those|this|that|my|your|our|all|both)\s+{_GIVEN}{{0,3}}|{_GIVEN}{{1,3}})"
    r"(?:documents?|docs|sources?|excerpts?|extracts?|passages?|snippets?|contexts?|texts?)\b"
)
"""The documents as a subject; without an article or "provided", a sentence is about documents of any kind."""

_SPACE = r"(?:(?!\b(?:says?|states?|mentions?|notes?|warns?|explains?)\b)[^.,;:]){0,40}?"
"""What may be between the documents and the verb; not another verb, because what follows that is claimed."""

_NOT = r"\b(?:do(?:es)?|did)(?:\s+not|n['\u2019]t)\s+(?:(?:(?!only\b)\w+ly|also|even|further|either)\s+){0,2}"
_SAY = (
    r"(?:(?:appear|seem)\s+to\s+)?(?:say|state|mention|specify|tell|explain|describe|answer|address|discuss|indicate|define|"
    r"name|detail|clarify|reveal|refer|speak|talk|go\s+into|elaborate|report|confirm|suggest|settle|touch\s+on|deal\s+with|"
    r"make\s+(?:it\s+)?(?:\w+\s+)?(?:clear|mention|reference))\b"
)
_HOLD = r"(?:(?:appear|seem)\s+to\s+)?(?:contain|include|give|provide|cover|list|have|hold|offer|show)"
_INFORMATION = r"(?:information|details?|mention|answers?|guidance|instructions?|indication|reference|anything)\b"
_WHAT_ABOUT = (
    r"(?:(?:as\s+(?:for|to)|regarding|concerning|about|beyond|apart\s+from|besides|other\s+than|whether|when|how|why|what|"
    r"who|where|which)\b[^.,;:]{1,120},\s+)?"
)
_WHERE = rf"(?:(?:in|from|within|based\s+on|according\s+to)\s+{_DOCUMENTS}[^.,;:]{{0,30}}?,?\s+)?"
_FOLLOWING = (
    r"(?=[\s,]*[.!]*$|,?\s+(?:of|about|on|regarding|concerning|as\s+to|whether|how|when|which|who|what|why|where|that|"
    rf"(?:in|from|within)\s+{_DOCUMENTS}))"
)
_NOT_SAID = re.compile(
    rf"{_WHAT_ABOUT}(?:"
    rf"{_DOCUMENTS}{_SPACE}(?:{_NOT}(?:{_SAY}|{_HOLD}\s+(?:\w+\s+){{0,3}}{_INFORMATION})|"
    rf"\b(?:(?:say|mention|state|tell|{_HOLD})s?|has)\s+(?:\w+\s+)?(?:nothing|no\s+(?:\w+\s+){{0,2}}{_INFORMATION}))|"
    rf"{_WHERE}(?:i|we)\s+(?:(?:was|were|am|are)\s+unable\s+to|(?:could|can|did|was|were|am|are|have)\s*(?:not|n['\u2019]t)|can['\u2019]t)\s+"
    r"(?:(?:\w+ly|yet|been)\s+)?(?:find|found|able|determine|answer|locate)\b|"
    rf"{_WHERE}(?:there\s+(?:is|was)|(?:i|we)\s+(?:have|had|found|see|(?:can|could)\s+find))\s+"
    rf"(?:nothing|no\s+(?:\w+\s+){{0,2}}(?:information|mention))\b{_FOLLOWING}|"
    rf"{_WHERE}nothing\s+(?:\w+\s+)?(?:is|was)\s+(?:said|mentioned|stated)\b|"
    rf"no\s+(?:\w+\s+)?information\b[^.,;:]{{0,60}}?(?:\s(?:is|was|could\s+be))?\s+(?:available|given|provided|found)"
    rf"(?:\s+(?:in|by|within)\s+{_DOCUMENTS})?[.!]*$|"
    r"no\s+(?:\w+\s+)?information\b(?:(?!\b(?:is|are|was|were|may|must|can|will|shall|should|has|have)\b)[^.,;:]){0,80}[.!]*$)",
    re.IGNORECASE,
)
_NOT_HELD = re.compile(rf"{_WHAT_ABOUT}{_DOCUMENTS}{_SPACE}{_NOT}{_HOLD}\b", re.IGNORECASE)
"""With a figure, this is a claim: "These documents do not contain more than 900 pages."."""

_G_DOCUMENTS = (
    r"(?:(?:die|diese[nmrs]?|den|dem|das|der|ihre[nr]?|allen?)\s+|(?=bereitgestellte|vorliegende|gegebene))"
    r"(?:(?:bereitgestellte|vorliegende|gegebene|angegebene|genannte|gefundene|verfügbare|obige|zitierte|vorhandene)[nmrs]?"
    r"\s+){0,2}(?:dokument(?:en?|s|es)?|quellen?|ausz(?:ug|üge)\w{0,2}|texte?n?|textstellen?|ausschnitte?n?|passagen?)\b"
)
_G_SPACE = r"[^.,;:]{0,40}?"
_G_SAY = (
    r"\b(?:sag(?:t|en)|nenn(?:t|en)|erwähn(?:t|en)|äußer(?:t|n)|beschreib(?:t|en)|erklär(?:t|en)|beantworte(?:t|n)|"
    r"behandel(?:t|n)|verr(?:ät|aten)|berichte(?:t|n))\b"
)
_G_HOLD = (
    r"\b(?:enth(?:ält|alten)|beinhalte(?:t|n)|liefer(?:t|n)|gibt|geben|zeig(?:t|en)|biete(?:t|n)|mach(?:t|en)|"
    r"steh(?:t|en)|find(?:et|en)|lieg(?:t|en))\b"
)
_G_NO = r"\b(?:nicht|nichts|kein\w*)\b"
_G_INFORMATION = r"\b(?:angaben?|informationen?|hinweise?|auskunft|antwort(?:en)?|aussagen?|details|einzelheiten)\b"
_G_QUESTION = r"ob|wann|wie|warum|weshalb|wieso|wer|was|wo|welche[nmrs]?"
_G_WHAT_ABOUT = (
    rf"(?:(?:dazu|darüber|davon|hierzu|hierüber)\s+|(?:{_G_QUESTION})\b"
    r"[^.,;:]{1,120},\s+|(?:zu|zur|zum|über|bezüglich|hinsichtlich)\b[^.,;:]{1,60}?\s+)"
)
_G_NOT_SAID = re.compile(
    rf"{_G_DOCUMENTS}{_G_SPACE}(?:{_G_SAY}{_G_SPACE}{_G_NO}|{_G_HOLD}{_G_SPACE}{_G_NO}{_G_SPACE}{_G_INFORMATION})|"
    rf"{_G_DOCUMENTS}{_G_SPACE}\bgeh(?:t|en)\b{_G_SPACE}\bnicht\b{_G_SPACE}\bein\b|"
    rf"in\s+{_G_DOCUMENTS}{_G_SPACE}\bsteh(?:t|en)\b{_G_SPACE}\bnichts?\b|"
    rf"(?:(?:in|aus)\s+)?{_G_DOCUMENTS}{_G_SPACE}(?:(?:(?:steh|find|geh)\w+|gibt)\b{_G_SPACE}(?:nichts\b|"
    rf"{_G_NO}{_G_SPACE}(?:{_G_INFORMATION}|\bhervor\b))|"
    rf"\b(?:ist|sind|wird|werden|wurden?|lässt|kann|können)\b{_G_SPACE}{_G_NO}{_G_SPACE}\b(?:erwähnt|genannt|angegeben|"
    r"beschrieben|enthalten|erklärt|festgelegt|vermerkt|beantwortet|zu\s+finden|zu\s+entnehmen|entnehmen)\b)|"
    rf"{_G_WHAT_ABOUT}(?:{_G_SAY}|{_G_HOLD})\s+(?:\w+\s+){{0,2}}?{_G_DOCUMENTS}{_G_SPACE}{_G_NO}|"
    rf"{_G_SAY}\s+{_G_DOCUMENTS}{_G_SPACE}{_G_NO}[^.,;:]*(?:[.!]*$|,\s+(?:{_G_QUESTION})\b)|"
    rf"es\s+(?:gibt|finden\s+sich|liegen)\b(?=[^.;:]{{0,80}}\b{_G_DOCUMENTS})[^.;:]{{0,80}}?{_G_NO}{_G_SPACE}{_G_INFORMATION}|"
    r"(?:(?:ich|wir)\s+(?:konnten?|können|kann|habe|haben)|(?:konnten?|können|kann|habe|haben)\s+(?:ich|wir))\b"
    rf"[^.;:]{{0,80}}?{_G_NO}[^.;:]{{0,80}}?\b(?:finden|gefunden|beantworten|feststellen|bestimmen|entnehmen|ermitteln)\b",
    re.IGNORECASE,
)
_G_NOT_HELD = re.compile(rf"(?:in\s+)?{_G_DOCUMENTS}{_G_SPACE}{_G_HOLD}{_G_SPACE}{_G_NO}", re.IGNORECASE)


def claims_nothing(sentence: str) -> bool:
    """True for few words, a polite phrase, an offer, and a statement that the documents do not say something.

    A sentence that goes on with something else ("They do not say when, but it costs five euros.") does claim that.
    """
    sentence = " ".join(sentence.split())  # a long run of blanks would take quadratic time
    if _is_short(sentence):
        return True
    head, *rest = (_OPENER.sub("", clause, count=1) for clause in _TURN.split(sentence))
    return _is_claimless(head) and all(_is_short(clause) or _is_claimless(clause) for clause in rest)


def _is_short(text: str) -> bool:
    return len(_WORD.findall(text)) <= _FEW_WORDS and not any(map(str.isdigit, text))


def _is_claimless(clause: str) -> bool:
    if not _WORD.search(clause) or _WHOLLY_POLITE.fullmatch(clause):
        return True
    if _POLITENESS.match(clause):
        return not _is_specific(clause, german=False)
    if _GERMAN_POLITENESS.match(clause):
        return not _is_specific(clause, german=True)
    if _NOT_SAID.match(clause) or _G_NOT_SAID.match(clause):
        added, joined = _ADDITION.search(clause), _JOINED.search(clause)
        if joined is not None and _has_figures(clause[joined.end() :]):
            return False
        return added is None or not _is_specific(clause[added.end() :], german=in_german(clause))
    return bool(_NOT_HELD.match(clause) or _G_NOT_HELD.match(clause)) and not _has_figures(clause)


def _is_specific(text: str, *, german: bool) -> bool:
    """True when `text` has a figure, a name or code."""
    if _has_figures(text) or any(code_spans(text)):
        return True
    return any(True for _ in proper_names(text, frozenset(), german=german))


def _has_figures(text: str) -> bool:
    return any(map(str.isdigit, text)) or any(amounts(text))
