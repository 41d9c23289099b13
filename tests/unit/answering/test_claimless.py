"""Which sentences claim nothing."""

import pytest

from citemark.answering.claimless import claims_nothing
from citemark.answering.claims import Known

KNOWN = Known(["Nextcloud 28 stores 3 kinds of shares. The Feed Pump speaks TLS 1. Vinegar, parking and Bob Miller."])


@pytest.mark.parametrize(
    "sentence",
    [
        "I hope this helps!",
        "I hope this helps with your Nextcloud 28 setup!",
        "Hopefully this answers your question.",
        "Let me know if you need more about Nextcloud 28.",
        "Please feel free to ask about Nextcloud.",
        "Feel free to reach out!",
        "If you need more details about Nextcloud, let me know.",
        "If you want, I can explain more; just let me know.",
        "I can also explain how Nextcloud stores its 3 kinds of shares.",
        "I'd be happy to explain TLS 1.",
        "Happy to help!",
        "Thanks for asking about Nextcloud!",
        "Thank you for your question.",
        "You're welcome!",
        "That's a great question about Nextcloud!",
        "Here is a summary of what the documents say about Nextcloud.",
        "Here are the 3 main points.",
        "Here is a short overview.",
        "Below is an overview of the Feed Pump.",
        "The following points are important.",
        "Sure, here is the answer.",
        "Certainly!",
        "Of course, happy to help.",
        "Sure thing, no problem!",
        "I hope this helps, but let me know if you need more.",
        "Gute Frage!",
        "Das ist eine gute Frage.",
        "Ich hoffe, das hilft Ihnen weiter.",
        "Hoffentlich hilft Ihnen diese Antwort.",
        "Vielen Dank für Ihre Frage!",
        "Hier ist eine Übersicht über Nextcloud 28.",
        "Hier ist ein kurzer Überblick.",
        "Melden Sie sich gern bei weiteren Fragen.",
        "Wenn Sie weitere Fragen haben, melden Sie sich gern bei mir.",
        "Gerne!",
        "Lassen Sie es mich wissen, wenn Sie mehr Hilfe brauchen.",
        "Well done!",
    ],
)
def test_polite_phrases_and_offers_claim_nothing(sentence: str) -> None:
    assert claims_nothing(sentence, KNOWN)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm sorry, but I could not find anything about Bob Miller in the excerpts.",
        "The documents do not say when.",
        "My sources do not mention it.",
        "The document excerpts you provided do not say when.",
        "Based on the documents, there is no mention of Bob Miller.",
        "I could find no information about Bob Miller.",
        "No information available.",
        "The documents do not mention parking.",
        "The provided documents do not say who Bob Miller is.",
        "Provided documents do not mention it.",
        "These excerpts don't specify the pressure of 15 bar.",
        "The documents do not contain any information about the 2024 budget.",
        "The context does not provide information on this.",
        "The text doesn't explicitly state that.",
        "The documents say nothing about parking.",
        "The documents contain no information about Nextcloud 28.",
        "The sources do not appear to mention vinegar.",
        "Unfortunately, the documents do not say when the gate opens.",
        "However, these sources do not cover parking.",
        "I could not find anything about X in the excerpts.",
        "I couldn't find a date in the documents.",
        "I can't find anything about it.",
        "I was not able to find the date.",
        "Based on the documents provided, I cannot determine the fee.",
        "In the documents, there is no information about parking.",
        "There is no information about the 2024 budget in the documents.",
        "There is no further information.",
        "No information about parking is given in the documents.",
        "As for parking, the documents do not mention it.",
        "Whether dogs are allowed, the documents do not say.",
        "The documents do not mention parking, so I cannot answer the question.",
        "The documents do not say when the gate opens, and I could not find it.",
        "Die Dokumente sagen nicht, wann das Tor öffnet.",
        "Die Dokumente enthalten keine Angaben zum Jahr 2024.",
        "In den Dokumenten steht nichts über Bob Miller.",
        "In den Dokumenten steht nicht, was 2024 gezahlt wurde.",
        "In den bereitgestellten Dokumenten wird Essig nicht erwähnt.",
        "Den Dokumenten ist nicht zu entnehmen, wann das Tor öffnet.",
        "Aus den Auszügen geht nicht hervor, ob Hunde erlaubt sind.",
        "Dazu sagen die Dokumente nichts.",
        "Dazu gibt es in den Dokumenten keine Angaben.",
        "Wann das Tor öffnet, sagen die Dokumente nicht.",
        "Leider sagen die Dokumente nicht, wann das Tor öffnet.",
        "Leider konnte ich in den Auszügen nichts über Bob Miller finden.",
        "Ich konnte dazu keine Angaben in den Quellen finden.",
        "Es tut mir leid, aber die Dokumente nennen keinen Preis.",
        "Es gibt in den Dokumenten keine Angaben dazu.",
        "Die Dokumente gehen darauf nicht ein.",
        "I was unable to find it in the documents.",
    ],
)
def test_what_the_documents_do_not_say_is_no_claim(sentence: str) -> None:
    assert claims_nothing(sentence, KNOWN)


@pytest.mark.requirement("unsupported-sentences-are-marked")
@pytest.mark.parametrize(
    "sentence",
    [
        "Thanks to Bob Miller, the fee is 4711 euros.",
        "Feel free to use vinegar at 95 degrees.",
        "Feel free to use vinegar.",
        "Documents do not expire before 900 days.",
        "The documents do not expire before 900 days.",
        "The auditor could not find fraud in 2031, says Bob Miller.",
        "I could not find fraud in 2031, says Bob Miller.",
        "We collect no information about Bob Miller.",
        "No information is stored after 900 days.",
        "No information about members may leave the house.",
        "The documents do not say when, but the fee is 4711 euros.",
        "The documents do not say when, and the fee is 4711 euros.",
        "The documents do not mention vinegar, so you may use it at 95 degrees.",
        "The documents do not mention vinegar; the fee is due in March.",
        "Of course vinegar is allowed.",
        "Sure, the fee is 4711 euros.",
        "You're welcome to use vinegar.",
        "Here is the answer: the fee is 4711 euros.",
        "Here is the answer: vinegar is allowed.",
        "I hope this helps, but the fee is 4711 euros.",
        "The text says users do not need vinegar.",
        "The documents state that the descaler does not contain vinegar.",
        "These documents do not contain more than 900 pages.",
        "The following facts were found by Bob Miller in 2031.",
        "I can tell you that the fee is 4711 euros.",
        "Dokumente laufen nicht vor 900 Tagen ab.",
        "Die Dokumente laufen nicht vor 900 Tagen ab.",
        "In den Dokumenten steht, dass Essig nicht verwendet werden darf.",
        "In den Dokumenten ist Essig nicht erlaubt.",
        "Danke an alle, die Gebühr beträgt 4711 Euro.",
        "Wenn Sie Fragen haben, melden Sie sich bei Bob Miller unter 4711.",
        "Nennt das Dokument keine Frist, gilt eine Frist von 900 Tagen.",
        "Der Prüfer konnte 2031 keinen Betrug feststellen.",
        "Die Dokumente sagen nicht, wann, aber die Gebühr beträgt 4711 Euro.",
        "Sources do not need a title.",
        "Context does not matter here.",
        "Doors unlock; nobody waits.",
        "In 2031 the server did not answer.",
        "There is no information desk in hall 7.",
        "Here you are not allowed to use vinegar.",
        "Please note the following: the fee is 4711 euros.",
    ],
)
def test_what_only_begins_or_sounds_like_such_a_sentence_is_a_claim(sentence: str) -> None:
    assert not claims_nothing(sentence, KNOWN)


@pytest.mark.parametrize(
    "word", ["sure ", "but ", "wenn mehr ", "the documents ", "die Dokumente geben ", "if you need, "]
)
def test_a_sentence_of_any_length_is_judged(word: str) -> None:
    assert not claims_nothing(word * 5_000 + "it costs 4711 euros.", KNOWN)


@pytest.mark.parametrize(
    "sentence",
    [
        "Here is the answer that Bob Miller must pay the fee of 4711 euros before the end of March.",
        "If you want 5 euros back, I will give 4711 euros to Bob Miller.",
        "I would provide 4711 litres.",
        "Thanks for asking about Bob Miller who owes 4711 euros.",
        "The materials do not contain asbestos.",
        "These materials do not give off fumes.",
        "The documents do not say when and the fee is 4711 euros.",
        "The documents do not mention vinegar and you may use it at 95 degrees.",
        "The documents do not mention parking while the fee is 4711 euros.",
        "The documents do not say when the gate opens (it opens at 9).",
        "I could not find it, the fee is 4711 euros.",
        "The documents do not mention vinegar, except that Bob Miller paid 4711 euros.",
        "The documents do not only say that the fee is 4711 euros.",
    ],
)
def test_what_follows_a_polite_phrase_or_a_gap_in_the_documents_is_a_claim(sentence: str) -> None:
    assert not claims_nothing(sentence, KNOWN)
