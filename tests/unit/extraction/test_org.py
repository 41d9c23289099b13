"""Org files: properties, names, headings, tags, links; every line of the file is read."""

import pytest
from tests.support.markdown import assert_sound

from citemark.extraction.org import extract_org
from citemark.model.text import BlockKind

pytestmark = pytest.mark.requirement("boards-and-org-are-read")

PAGE = """:PROPERTIES:
:ID:       abc-1
:ROAM_ALIASES: "The Countess" Enchantress
:END:
#+TITLE: Ada Lovelace
#+FILETAGS: :people:math:
#+BORN: 1815-12-10

She wrote [[file:notes/engine.org::*History][about it]], see [[*Work]] and [[https://x.example][more]].
* TODO [#A] Work :big:
- one item
- two items
** Deeper
#+BEGIN_SRC python
print(1)
#+END_SRC
| a | b |
"""


def test_the_properties_of_an_org_file_are_its_title_names_tags_and_values() -> None:
    found = extract_org(PAGE, fallback_title="f")
    assert_sound(found)
    assert found.title == "Ada Lovelace"
    assert found.aliases == ("The Countess", "Enchantress")
    assert found.tags == ("people", "math", "big")
    assert found.properties["born"] == ("1815-12-10",)
    assert found.blocks[0].kind is BlockKind.FRONT_MATTER
    assert found.blocks[0].span.of(PAGE).endswith("#+BORN: 1815-12-10")


def test_headings_are_sections_and_links_lead_to_files_headings_and_addresses() -> None:
    found = extract_org(PAGE, fallback_title="f")
    assert [(section.slug, section.title) for section in found.sections] == [
        ("work", "Work"),
        ("work/deeper", "Deeper"),
    ]
    assert [link.target for link in found.links] == ["[[notes/engine.org#History]]", "[[#Work]]", "https://x.example"]


@pytest.mark.parametrize(
    "body", ["", "\n\n", "* \n", "#+BEGIN_SRC\nopen", ":PROPERTIES:\n:A: b", "text\r\n* H\r\nmore"]
)
def test_any_text_is_an_org_file(body: str) -> None:
    found = extract_org(body, fallback_title="f")
    assert "\n".join(block.span.of(body) for block in found.blocks).split() == body.split()
