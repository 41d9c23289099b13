"""What a letter or mail holds besides its words: who writes to whom, greetings, closings. It answers nothing."""

import re

_LONGEST = 80
"""Characters of a salutation or closing; a longer line says something."""

_HEAD = re.compile(
    r"(?:from|to|cc|bcc|date|sent|subject|reply-to|von|an|datum|gesendet|betreff|de|\u00e0|envoy\u00e9|objet) ?:",
    re.IGNORECASE,
)
_SALUTATION = re.compile(
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|moin|liebe[rs]?|guten (?:tag|morgen|abend)|"
    r"sehr geehrte[rs]?|bonjour|bonsoir|salut|ch(?:er|\u00e8re)s?|madame|monsieur)\b[^.?:;]*[,!]$",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind|warm|many) (?:regards|wishes)|regards|cheers|thanks(?: a lot| again| in advance)?|"
    r"many thanks|thank you|(?:yours )?(?:sincerely|truly|faithfully)(?: yours)?|"
    r"mit (?:freundlichen|besten|herzlichen|vielen) gr\u00fc(?:\u00df|ss)en|"
    r"(?:viele|liebe|beste|freundliche|herzliche) gr\u00fc(?:\u00df|ss)e|mfg|vg|lg|gru(?:\u00df|ss)|"
    r"(?:vielen |besten )?dank|danke|(?:bien )?cordialement|bien \u00e0 (?:vous|toi)|"
    r"(?:meilleures |sinc\u00e8res )?salutations|merci(?: d.avance)?)(?: (?:from|aus|de) [\w ]+)?[ ,.!]*$",
    re.IGNORECASE,
)


def is_mail_head(paragraph: str) -> bool:
    """True for a paragraph of headers, as a mail begins with."""
    lines = paragraph.strip().splitlines()
    return len(lines) > 1 and all(_HEAD.match(line.lstrip("> \t")) for line in lines)


def is_salutation(line: str) -> bool:
    """True for a line that greets."""
    return len(line) <= _LONGEST and _SALUTATION.match(line) is not None


def is_closing(line: str) -> bool:
    """True for a line that takes leave; names and addresses follow it."""
    return len(line) <= _LONGEST and _CLOSING.match(line) is not None
