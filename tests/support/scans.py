"""Ten scanned pages, and the questions that they answer: rendered text, turned by a degree, with noise, as a PDF of
pictures. English and German, in more than one size of print; no page has a text of its own."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

import numpy as np
from PIL import Image
from tests.support.pdfs import lines, pdf

from citemark.extraction.pdf.pdfium import PdfFile

_PIXELS = 2339
"""A4 at 200 dots per inch."""


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """What stands on a page, a question about it, and the words that answer it."""

    text: str
    question: str
    answer: str


PAGES = (
    ScannedPage(
        "Inspection of the boiler house. The safety valve of boiler two opens at 11.5 bar and was tested on 4 March. "
        "The pressure gauge was replaced because its glass had cracked in the frost. The next inspection is due in two "
        "years, unless the insurer asks for an earlier one.",
        "At what pressure does the safety valve of boiler two open?",
        "11.5 bar",
    ),
    ScannedPage(
        "Minutes of the garden committee. Present were Mrs Hollis, Mr Okafor and four members. The committee bought "
        "forty apple trees from the nursery at Wexford. They will be planted along the northern wall in November, and "
        "watered by the older pupils during the first summer.",
        "Where were the apple trees bought?",
        "Wexford",
    ),
    ScannedPage(
        "Rules for the reading room. Readers leave coats and bags in the lockers. Pencils are allowed, ink is not. "
        "Manuscripts are brought at ten and at two o'clock, at most three volumes at a time. Photographs need the "
        "written consent of the librarian and cost nothing.",
        "How many manuscripts are brought to a reader at a time?",
        "three volumes",
    ),
    ScannedPage(
        "Report on the ferry landing. The pontoon was lifted by the storm of 12 October and came down on its chain. "
        "Two of the six links are bent and must be renewed before the winter service begins. The harbour master "
        "estimates the cost at 8,400 pounds, without the diver.",
        "What does the repair of the chain of the ferry landing cost?",
        "8,400",
    ),
    ScannedPage(
        "Recipe of the refectory for sixty persons. Nine kilograms of potatoes are boiled with salt and caraway. The "
        "dressing has two litres of broth, a litre of vinegar and the onions. It rests for an hour before it is "
        "served, and it is never put into the refrigerator.",
        "How many kilograms of potatoes does the recipe need?",
        "Nine kilograms",
    ),
    ScannedPage(
        "Prüfbericht der Brücke über die Mühlbäche. Die Tragfähigkeit beträgt weiterhin 16 Tonnen. An den Lagern wurde "
        "Rost gefunden, der bis zum Frühjahr entfernt werden muß. Die Größe der Risse übersteigt nirgends zwei "
        "Millimeter. Für Fußgänger besteht keine Gefahr.",
        "Wie hoch ist die Tragfähigkeit der Brücke?",
        "16 Tonnen",
    ),
    ScannedPage(
        "Hausordnung der Turnhalle. Straßenschuhe sind auf dem Boden der Halle nicht erlaubt. Der Schlüssel liegt beim "
        "Hausmeister, Herrn Böttcher, in der Gärtnerstraße. Übungsstunden enden um 21 Uhr, danach werden die Fenster "
        "geschlossen und die Geräte gezählt.",
        "Bei wem liegt der Schlüssel der Turnhalle?",
        "Böttcher",
    ),
    ScannedPage(
        "Protokoll der Wasserwirtschaft. Der Pegel am Wehr stieg in der Nacht auf 3,80 Meter. Die Feuerwehr öffnete "
        "beide Schützen und räumte das Treibgut aus dem Rechen. Gegen Mittag fiel das Wasser wieder. Schäden an den "
        "Dämmen wurden nicht gemeldet, die Wache bleibt jedoch besetzt.",
        "Auf wie viele Meter stieg der Pegel am Wehr?",
        "3,80 Meter",
    ),
    ScannedPage(
        "Mietvertrag über die Werkstatt im Hof. Die Miete beträgt 640 Euro im Monat und ist am dritten Werktag fällig. "
        "Die Kündigungsfrist beläuft sich auf sechs Monate zum Jahresende. Maschinen über zwei Kilowatt meldet der "
        "Mieter dem Eigentümer vorher an.",
        "Wie lang ist die Kündigungsfrist der Werkstatt?",
        "sechs Monate",
    ),
    ScannedPage(
        "Pflegeplan für die Streuobstwiese. Gemäht wird zweimal im Jahr, zuerst nach der Blüte der Margeriten. Das Heu "
        "bleibt drei Tage liegen, damit die Samen ausfallen. Die alten Bäume werden im Februar geschnitten; Äste mit "
        "Höhlen bleiben für den Steinkauz stehen.",
        "Für welchen Vogel bleiben Äste mit Höhlen stehen?",
        "Steinkauz",
    ),
)


def scanned_pdf(pages: Sequence[str]) -> bytes:
    """A PDF of pictures of pages, each turned by a degree to one side or the other, with noise."""
    pictures = [_scanned(text, number) for number, text in enumerate(pages)]
    sink = io.BytesIO()
    pictures[0].save(sink, "PDF", resolution=200, save_all=True, append_images=pictures[1:])
    return sink.getvalue()


def picture(text: str, form: str) -> bytes:
    """The same of one page, as a file of pictures (`PNG`, `JPEG`, `TIFF`, `WEBP`)."""
    sink = io.BytesIO()
    _scanned(text, 0).save(sink, form)
    return sink.getvalue()


def _scanned(text: str, number: int) -> Image.Image:
    size = (10, 11, 12)[number % 3]
    rendered = PdfFile(pdf(lines(*wrap(text, 780 // size), size=size, leading=1.5 * size)))
    try:
        page = rendered.picture(0, _PIXELS)
    finally:
        rendered.close()
    assert page is not None
    turned = Image.fromarray(page).rotate(1 if number % 2 else -1, Image.Resampling.BICUBIC, fillcolor=255)
    noise = np.random.default_rng(number).normal(0, 18, page.shape)
    return Image.fromarray((np.asarray(turned) * 0.85 + 20 + noise).clip(0, 255).astype(np.uint8))
