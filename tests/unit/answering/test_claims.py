"""What an answer claims that no document says, over prose that the golden answers do not hold."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.unit.answering.papers import document

from citemark.answering.amounts import amount_keys, amounts
from citemark.answering.checking import check
from citemark.answering.proper_names import Taken, designations, in_german, proper_names
from citemark.model.text import Span

_FILE = Path(__file__).resolve().parents[2] / "data" / "claims.yaml"


def rows() -> list[tuple[str, Any, str, set[str]]]:
    """(title, document, answer, its unsupported claims) of every row."""
    return [
        (source["title"], document(1, source["text"], title=source["title"]), row["said"], set(row.get("claims", ())))
        for source in yaml.safe_load(_FILE.read_text("utf-8"))
        for row in source["answers"]
    ]


@pytest.mark.requirement("claims-of-many-forms-told-apart")
def test_claims_of_answers_kept_apart_are_found_and_few_others() -> None:
    hits, extra, missed = 0, list[str](), list[str]()
    for title, source, said, wanted in rows():
        found = set(check(said, [source]).unsupported_claims)
        hits += len(found & wanted)
        extra += [f"{title}: {claim}" for claim in found - wanted]
        missed += [f"{title}: {claim}" for claim in wanted - found]
    assert len(rows()) >= 100
    assert hits / (hits + len(extra)) >= 0.95, extra
    assert hits / (hits + len(missed)) >= 0.95, missed


@pytest.mark.requirement("claims-of-many-forms-told-apart")
@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Der Ordner gilt als leer, wenn Dateien und Verzeichnisse fehlen.", []),
        ("Ende Mai zahlen Gäste 25 Euro Gebühr.", []),
        ("Das App-Passwort steht im Discord-Server.", []),
        ("Programme wie Slack, Okta oder Keycloak melden sich an.", ["Keycloak"]),
        ("Frau Dr. Sabine Krüger leitet das Amt für Statistik.", ["Amt für Statistik", "Sabine Krüger"]),
        (
            "Tobias Hartmann betreut die Werkstatt auf Red Hat Enterprise Linux.",
            ["Red Hat Enterprise Linux", "Tobias Hartmann"],
        ),
        ("Reports go to Trail of Bits and OpenAI's Ada.", ["Ada", "OpenAI's", "Trail of Bits"]),
        ("The server speaks gRPC.", ["gRPC"]),
        ("We use Tag Manager daily.", ["Tag Manager"]),
        ("Am Tag Manager liegt es nicht, und das ist auch der Stadt recht.", []),
        ("Every reader may open a page.", []),
    ],
)
def test_names_are_complete_and_german_nouns_are_not_names(sentence: str, names: list[str]) -> None:
    found = [span.of(sentence) for span in proper_names(sentence, frozenset({"Slack", "Okta"}))]
    assert sorted(name for name in found if name not in {"Slack", "Okta", "Programme", "Frau"}) == names


@pytest.mark.requirement("claims-of-many-forms-told-apart")
def test_a_standard_is_one_with_its_number() -> None:
    said = "See ISO 27001, RFC9728, RFC 8707, DIN EN 50600, FIPS 140-2, TLS 1.3, SEP-1288 and PR #12, and 7 GB."
    found = [span.of(said) for span in designations(said)]
    assert found == ["ISO 27001", "RFC9728", "RFC 8707", "DIN EN 50600", "FIPS 140-2", "TLS 1.3", "SEP-1288", "PR #12"]


@pytest.mark.requirement("claims-of-many-forms-told-apart")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("twelve months", "einem Jahr"),
        ("drei Wochen", "21 days"),
        ("anything within 7 days", "a week"),
        ("an hour", "sechzig Minuten"),
        ("half an hour", "30 minutes"),
        ("ein halbes Jahr", "six months"),
        ("three to six months", "drei Monaten"),
        ("the number of months, at least twelve,", "one year"),
        ("every `interval` seconds (300 by default)", "five minutes"),
        ("fünfundzwanzig", "25"),
        ("twenty-five", "25"),
        ("zweihundert", "two hundred"),
        ("a dozen", "zwölf"),
        ("zwei Drittel", "two thirds"),
        ("180 sec", "three minutes"),
        ("60 Sekunden", "one minute"),
        ("120 seconds", "2 min"),
        ("24 hours", "one day"),
        ("ein Tag", "24 Stunden"),
        ("one month", "ein Monat"),
        ("14 Tage", "two weeks"),
    ],
)
def test_quantities_in_words_and_digits_and_both_languages_are_the_same(one: str, other: str) -> None:
    assert amount_keys(one) & amount_keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("twelve months", "twenty-four months"), ("3. Step\n\nDays pass", "3 days"), ("a second look", "two seconds")],
)
def test_other_quantities_are_others(one: str, other: str) -> None:
    (amount,) = amounts(other)
    assert amount.lasting not in amount_keys(one)


def test_a_sentence_is_german_by_its_small_words() -> None:
    assert in_german("Ein Mitglied braucht zwei Bürgen aus verschiedenen Organisationen oder einen Core Maintainer")
    assert not in_german("The Core Maintainers of the project meet in Köthen")


def test_a_german_ordinal_ends_no_sentence() -> None:
    source = document(1, "Die Regel gilt seit dem 29. September 2025.")
    (sentence,) = check("Die Regel gilt seit dem 29. September 2025 [1].", [source]).sentences
    assert sentence.standing == "supported"


def test_spans_that_only_touch_do_not_overlap() -> None:
    taken = Taken()
    assert [taken.take(Span(*span)) for span in ((4, 8), (8, 9), (2, 4), (3, 5), (7, 9), (4, 8))] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
