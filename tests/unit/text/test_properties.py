"""Lines of properties, and the forms by which their values are compared."""

import pytest

from citemark.text.properties import asked_for, compared, properties_alone, property_lines


def keys_and_lines(text: str) -> list[tuple[str, str]]:
    return [(each.key, each.span.of(text)) for each in property_lines(text, 0, len(text))]


def test_a_property_has_the_lines_that_continue_it() -> None:
    text = "# about\naliases:\n  - A: b\n- C\nborn: 1815\nplace:\n  city: Rome\n\n"
    assert keys_and_lines(text) == [
        ("aliases", "# about\naliases:\n  - A: b\n- C"),
        ("born", "born: 1815"),
        ("place", "place:\n  city: Rome"),
    ]


def test_properties_of_toml_json_and_org_have_their_keys() -> None:
    assert [key for key, _ in keys_and_lines('a = 1\n[car]\nplate = "x"\n')] == ["a", "car", "plate"]
    assert [key for key, _ in keys_and_lines('  "a b": 1,\n  "c": [\n    "d"\n  ]\n')] == ["a b", "c"]
    assert [key for key, _ in keys_and_lines(":ID: 1\n#+TITLE: x\n")] == ["ID", "TITLE"]


@pytest.mark.parametrize(
    "text", ["Note: one sentence.", "Status: a\nand then prose goes on", "Two\nlines", "", "Q: is it?\nA: it is."]
)
def test_prose_is_no_list_of_properties(text: str) -> None:
    assert properties_alone(text) == []


def test_a_value_is_found_as_written_by_the_page_it_links_to_and_by_its_day() -> None:
    assert compared("  In  Progress ") == ("in progress",)
    assert compared("[[Ada Byron|Ada]]") == ("[[ada byron|ada]]", "ada byron")
    assert compared("2024-01-05T10:00:00Z") == ("2024-01-05t10:00:00z", "2024-01-05")
    assert compared("2024/1/5") == ("2024/1/5", "2024-01-05")
    assert compared("u\u0308ber") == ("\u00fcber",)


@pytest.mark.requirement("filters-by-property")
def test_pairs_of_one_key_are_alternatives() -> None:
    assert asked_for(["Status=Done", "status = open ", "a=b=c"]) == (("status", ("done", "open")), ("a", ("b=c",)))
    for wrong in ("status", "=done", "status="):
        with pytest.raises(ValueError, match=wrong):
            asked_for([wrong])
