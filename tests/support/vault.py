"""A vault of notes as people keep it: properties in three forms, aliases, empty notes, wikilinks of every kind.

The notes in `tests/data/vault` and their questions are written by hand; the others are made by code after the same
patterns, so that each fact has hundreds of neighbours that look like it.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Fact(NamedTuple):
    """A question that names its note, the words that answer it ("" if the note itself does), and the note's path."""

    question: str
    answer: str
    path: str


BY_HAND = Path(__file__).parents[1] / "data" / "vault"
"""Notes that were written by hand, as a person would keep them."""

HAND_FACTS: tuple[Fact, ...] = (
    Fact("When was Wilhelmina Aldous born?", "1988-07-02", "People/Wilhelmina Aldous.md"),
    Fact("When was The Lamplighter born?", "1988-07-02", "People/Wilhelmina Aldous.md"),
    Fact("Who is the employer of Wilhelmina Aldous?", "Harrow Tidal Works", "People/Wilhelmina Aldous.md"),
    Fact("What is the phone of Ibrahim Okonjo?", "0044 7700 900461", "People/Ibrahim Okonjo.md"),
    Fact("When was Ibrahim Okonjo born?", "1971-11-23", "People/Ibrahim Okonjo.md"),
    Fact("What blood type has Greta Lindqvist?", "AB negative", "People/Greta Lindqvist.md"),
    Fact("Which plate has the car of Tomas Brannigan?", "QV58 LRN", "People/Tomas Brannigan.md"),
    Fact("What is the shoe size of Tomas Brannigan?", "46", "People/Tomas Brannigan.md"),
    Fact("What is the status of Harrow Tidal Works?", "suspended", "Projects/Harrow Tidal Works.md"),
    Fact("What budget has Harrow Tidal Works?", "412000 EUR", "Projects/Harrow Tidal Works.md"),
    Fact("Above which level does the turbine hall flood?", "3.7 metres", "Projects/Harrow Tidal Works.md"),
    Fact("Who is the reviewer of Copper Kestrel?", "Tomas Brannigan", "Projects/Copper Kestrel.md"),
    Fact("When is Copper Kestrel due?", "2026-02-17", "Projects/Copper Kestrel.md"),
    Fact("Saltmarsh", "", "Places/Saltmarsh.md"),
    Fact("Quince Cottage", "", "Places/Quince Cottage.md"),
    Fact("Ferment the green walnuts", "", "Ideas/Ferment the green walnuts.md"),
    Fact("Paint the shed ultramarine", "", "Ideas/Paint the shed ultramarine.md"),
    Fact("How much sugar is in rowan jelly?", "850 g", "Recipes/Rowan jelly.md"),
    Fact("Who is the author of The Drowned Lantern?", "Ottoline Vance", "Books/The Drowned Lantern.md"),
    Fact("What is the ISBN of The Drowned Lantern?", "978-1-86092-117-3", "Books/The Drowned Lantern.md"),
    Fact("What is the serial of the pillar drill?", "PD-77412-K", "Machines/Pillar drill.md"),
    Fact("How wide is the blade of the bandsaw?", "13 mm", "Machines/Bandsaw.md"),
    Fact("When was Beekeeping inspected?", "2025-04-18", "Org/Beekeeping.org"),
    Fact("How is the queen of hive four marked?", "blue", "Org/Beekeeping.org"),
    Fact("How thick is the worktop of the kitchen?", "38 mm beech", "Boards/Kitchen.canvas"),
    Fact("What ampere is the garage fuse?", "16 ampere", "Boards/Wiring.excalidraw"),
    Fact("Of what is the pond liner?", "1.2 mm EPDM", "Boards/Pond.excalidraw.md"),
    Fact("What was the weather on 2025-03-14?", "hail", "Daily/2025-03-14.md"),
)

_FIRST = (
    *("Ada", "Bruno", "Carla", "Dmitri", "Elin", "Farid", "Gwen", "Hugo", "Ines", "Jonas"),
    *("Katya", "Lars", "Mira", "Nils", "Olga", "Pavel", "Rosa", "Stefan", "Tara", "Viktor"),
)
_LAST = ("Abbott", "Becker", "Castellan", "Duarte", "Eriksen", "Farkas", "Grimaldi")
_CITIES = ("Lisbon", "Turku", "Ghent", "Graz", "Porto", "Bergen", "Cork", "Lyon", "Trieste", "Gdansk")
_WORDS = ("Amber", "Basalt", "Cedar", "Dune", "Ember", "Fjord", "Granite", "Heron", "Indigo", "Juniper")
_KINDS = ["Bridge", "Mill", "Tower", "Garden", "Quay", "Vault"]
_STATES = ["draft", "active", "waiting", "finished"]


def notes(many: int = 300) -> dict[str, str]:
    """The texts of a vault of so many notes, by path."""
    files = sorted(path for path in BY_HAND.rglob("*") if path.is_file())
    found = {path.relative_to(BY_HAND).as_posix(): path.read_text("utf-8") for path in files}
    for path, text, _ in _made():
        if len(found) >= many:
            break
        found[path] = text
    return found


def facts(many: int = 300) -> list[Fact]:
    """The facts that a vault of so many notes holds."""
    there = notes(many)
    return [*HAND_FACTS, *(fact for path, _, stated in _made() if path in there for fact in stated)]


def words_of_vault(many: int = 300) -> Iterator[str]:
    """Every word of every note and path, in lower case, with the signs inside it."""
    for path, text in notes(many).items():
        for word in re.split(r"[\s\"'/,:;=\[\](){}|]+", f"{path} {path.rpartition('.')[0]} {text}"):
            yield word.strip(".").casefold()


def write(folder: Path, many: int = 300) -> None:
    """Write the vault into a folder."""
    for path, text in notes(many).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _made() -> Iterator[tuple[str, str, list[Fact]]]:
    """Paths, texts and facts of the notes that code makes: the kinds take turns."""
    people, projects, places = _people(), _projects(), _places()
    while True:
        batch = [each for kind in (people, people, projects, places) if (each := next(kind, None)) is not None]
        if not batch:
            return
        yield from batch


def _people() -> Iterator[tuple[str, str, list[Fact]]]:
    for number, (first, last) in enumerate((first, last) for last in _LAST for first in _FIRST):
        name, nick = f"{first} {last}", f"{_WORDS[number % 10]} {last}{number}"
        born = f"{1950 + number % 50}-{1 + number % 12:02}-{1 + number % 28:02}"
        badge, city = f"B{4100 + number * 7}", _CITIES[number % 10]
        body = "" if number % 2 else f"\n{first} works with [[{_FIRST[(number + 1) % 20]} {last}]].\n"
        match number % 3:
            case 0:
                head = f"---\naliases:\n  - {nick}\nborn: {born}\nbadge: {badge}\ncity: {city}\n---\n"
            case 1:
                head = f'+++\naliases = ["{nick}"]\nborn = {born}\nbadge = "{badge}"\ncity = "{city}"\n+++\n'
            case _:
                head = json.dumps({"aliases": [nick], "born": born, "badge": badge, "city": city}, indent=2) + "\n"
        path = f"People/{name}.md"
        asked = [Fact(f"When was {name} born?", born, path), Fact(f"Which badge has {nick}?", badge, path)]
        yield path, head + body, asked


def _projects() -> Iterator[tuple[str, str, list[Fact]]]:
    for number, (word, kind) in enumerate((word, kind) for kind in _KINDS for word in _WORDS):
        name, cost = f"{word} {kind}", f"{9_000 + number * 137} EUR"
        code, state = f"PX-{300 + number * 3}", _STATES[number % 4]
        path = f"Projects/{kind}/{name}.md"
        text = (
            f"---\nstatus: {state}\ncost: {cost}\ncode: {code}\ntags: [project, {kind.lower()}]\n---\n\n"
            f"# {name}\n\nThe {name} is led by [[{_FIRST[number % 20]} {_LAST[number % 7]}]].\n"
        )
        asked = [Fact(f"What does the {name} cost?", cost, path), Fact(f"Which code has {name}?", code, path)]
        yield path, text, asked


def _places() -> Iterator[tuple[str, str, list[Fact]]]:
    for number, (word, city) in enumerate((word, city) for city in _CITIES for word in _WORDS):
        name = f"{word} House in {city}"
        text = "" if number % 3 else f"---\npostcode: {city[:2].upper()}{1200 + number}\n---\n"
        path = f"Places/{name}.md"
        asked = [] if number % 3 else [Fact(f"Which postcode has {name}?", f"{city[:2].upper()}{1200 + number}", path)]
        yield path, text, [Fact(name, "", path), *asked]
