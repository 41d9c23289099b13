# ruff: noqa: RUF001 - French writes apostrophes that look like grave accents
"""German and French pages about what English documentation of software speaks of, to lie beside it."""

from collections.abc import Iterator

_GERMAN = """
# Das Verzeichnis

Im Verzeichnis steht, welche Server es gibt und wo ihre Pakete liegen. Betreiber eines Spiegels holen die Einträge
einmal in der Stunde ab und bieten sie unter eigenem Namen an. Wer einen Eintrag zurückzieht, lässt ihn für andere
sichtbar, damit niemand glaubt, er sei nie da gewesen.

# Anmeldung

Vor der ersten Anfrage meldet sich der Client am Autorisierungsserver an und erhält ein Token, das eine Stunde lang
gilt. Läuft es ab, wird es erneuert, ohne dass jemand am Bildschirm sitzt. Das Geheimnis des Clients gehört nicht in
eine Protokolldatei.

# Arbeitsgruppen

Eine Arbeitsgruppe trifft sich alle zwei Wochen für eine Stunde. Abgestimmt wird nur, wenn mehr als die Hälfte der
Mitglieder anwesend ist, und das Ergebnis wird am selben Tag veröffentlicht.

# Stufen der Bibliotheken

Eine Bibliothek der ersten Stufe besteht alle Prüfungen der letzten stabilen Fassung. Scheitern sie vier Wochen lang,
so rückt sie eine Stufe ab. Schwere Fehler werden innerhalb einer Woche behoben.

# Übertragung

Der Server antwortet entweder über die Standardausgabe oder über einen Strom von Ereignissen. Hält ein Zwischenrechner
die Antwort zurück, bis sie vollständig ist, so muss seine Pufferung abgeschaltet werden.

# Fehlernummern

Jede Fehlernummer steht in einer Tabelle mit ihrer Bedeutung. Nummern unterhalb von 32000 sind für das Protokoll
vorbehalten, alle anderen darf eine Anwendung selbst vergeben.

# Aufgaben

Eine Aufgabe läuft im Hintergrund weiter, nachdem die Verbindung getrennt wurde. Ihr Ergebnis holt man mit der Nummer
ab, die beim Anlegen zurückkam, und zwar so lange, bis sie verfallen ist.

# Sicherheit

Ein fremder Server kann den eigenen Rechner dazu bringen, Adressen im internen Netz aufzurufen. Deshalb werden
Weiterleitungen geprüft und Adressen des lokalen Netzes abgelehnt.

# Werkzeuge

Beschreibungen von Werkzeugen nehmen Platz im Fenster des Modells ein. Ab einigen Dutzend lohnt es sich, sie erst
nachzuschlagen, wenn sie gebraucht werden, statt alle von Anfang an mitzuschicken.

# Veraltete Funktionen

Was veraltet ist, bleibt noch mindestens ein Jahr lang erhalten. Danach darf es in der nächsten Fassung der
Spezifikation entfallen, die nach dem genannten Tag erscheint.

# Beiträge

Wer einen Vorschlag macht, sucht sich eine Betreuerin aus dem Kreis der Maintainer. Findet sich binnen sechs Monaten
niemand, so ruht der Vorschlag, bis ihn jemand aufgreift.

# Betrieb

Im eigenen Rechenzentrum läuft die Software in einem Container hinter einem Lastverteiler. Die Datenbank wird nachts
gesichert, und die Sicherungen werden neunzig Tage lang an einem anderen Ort aufbewahrt.
"""

_FRENCH = """
# Le registre

Le registre indique quels serveurs existent et où se trouvent leurs paquets. Les agrégateurs viennent chercher les
nouvelles entrées une fois par heure et les publient sous leur propre nom.

# L’authentification

Avant la première requête, le client demande un jeton au serveur d’autorisation. Le jeton est valable une heure et
peut être renouvelé sans que personne soit assis devant l’écran.

# Les groupes de travail

Un groupe de travail se réunit toutes les deux semaines pendant une heure. On ne vote que si plus de la moitié des
membres sont présents, et le résultat est publié le jour même.

# Les transports

Le serveur répond soit sur la sortie standard, soit par un flux d’événements. Si une passerelle retient la réponse
jusqu’à la fin, il faut désactiver sa mémoire tampon.

# La sécurité

Un serveur étranger peut amener votre machine à appeler des adresses du réseau interne. C’est pourquoi les
redirections sont vérifiées et les adresses locales refusées.

# Les fonctions obsolètes

Ce qui est obsolète reste disponible au moins un an. Ensuite, la révision suivante de la spécification peut le
supprimer, mais jamais avant la date annoncée.
"""


def german_pages(count: int) -> dict[str, str]:
    """So many German pages by name, each of three chapters, no two alike (up to 36)."""
    return dict(_pages("de", _GERMAN, count))


def french_pages(count: int) -> dict[str, str]:
    """So many French pages by name (up to 12)."""
    return dict(_pages("fr", _FRENCH, count))


def _pages(code: str, text: str, count: int) -> Iterator[tuple[str, str]]:
    chapters = [f"# {chapter.strip()}" for chapter in text.split("# ")[1:]]
    for number in range(count):
        lap, first = divmod(number, len(chapters))
        chosen = [chapters[(first + step * (lap + 1)) % len(chapters)] for step in range(3)]
        yield f"{code}-{number:02}.md", "\n\n".join(chosen)
