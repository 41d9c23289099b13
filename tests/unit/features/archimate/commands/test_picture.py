"""Views as pictures: whole, well formed, with the names and the line ends that ArchiMate has."""

import math
import re
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.features.archimate.commands.picture import picture_of
from citemark.features.archimate.commands.picture.lettering import fitted, width_of, wrapped
from citemark.model.layouts import Layout, LayoutConnection, LayoutNode

A = LayoutNode("a", "element", "Web portal", 10, 10, 120, 55, None, "e1", "ApplicationComponent", "application")
B = LayoutNode("b", "element", "Handle Claim", 10, 200, 120, 55, None, "e2", "BusinessProcess", "business")
C = LayoutNode("c", "element", "CRM System", 300, 20, 120, 55, None, "e3", "ApplicationComponent", "application")

TEXT = st.text(max_size=40)
NUMBER = st.floats(-500, 3000)
NODES = st.lists(
    st.builds(
        LayoutNode,
        node_id=st.sampled_from("abcdef"),
        kind=st.sampled_from(["element", "group", "note", "view"]),
        label=TEXT,
        x=NUMBER,
        y=NUMBER,
        width=NUMBER,
        height=NUMBER,
        parent=st.sampled_from([None, *"abcdef"]),
        type=st.sampled_from(["", "Junction", "Goal", "BusinessProcess", "ApplicationComponent"]),
        layer=st.sampled_from(["", "motivation", "business", "unheard of"]),
    ),
    max_size=6,
)
LINES = st.lists(
    st.builds(
        LayoutConnection,
        connection_id=st.sampled_from("uvwxyz"),
        source=st.sampled_from("abcdefuvwxyz"),
        target=st.sampled_from("abcdefuvwxyz"),
        type=st.sampled_from(["", "Access", "Association", "Composition", "Serving", "Influence", "Unheard"]),
        label=TEXT,
        detail=st.sampled_from(["", "read", "readwrite", "directed", "++"]),
        bends=st.lists(st.tuples(NUMBER, NUMBER), max_size=3).map(tuple),
    ),
    max_size=6,
)


def drawn(*nodes: LayoutNode, lines: tuple[LayoutConnection, ...] = ()) -> Element:
    return ET.fromstring(picture_of(Layout(nodes, lines), "A view"))  # noqa: S314 - our own


def found(picture: Element, name: str) -> list[Element]:
    return list(picture.iter(f"{{http://www.w3.org/2000/svg}}{name}"))


def words_in(picture: Element) -> str:
    return " ".join(" ".join(node.itertext()) for node in found(picture, "text"))


def line(type_: str, detail: str = "") -> LayoutConnection:
    return LayoutConnection("l", "a", "c", type_, detail=detail)


@pytest.mark.requirement("view-command-draws-a-view")
def test_every_name_and_type_is_written_out() -> None:
    group = LayoutNode("g", "group", "Front office", 0, 0, 450, 300)
    note = LayoutNode("n", "note", 'Mind the <gap> & "quotes"', 500, 0, 150, 60)
    picture = drawn(group, note, A, B, C)
    said = words_in(picture)
    for name in ("Web portal", "Application Component", "Handle Claim", "Business Process", "Front office", "<gap> &"):
        assert name in said
    fills = {rectangle.get("fill") for rectangle in found(picture, "rect")}
    assert len(fills) == 3, "paper and the colours of two layers"
    box = [float(part) for part in (picture.get("viewBox") or "").split()]
    assert box[0] < 0
    assert box[0] + box[2] > 650
    assert box[1] + box[3] > 300


@pytest.mark.requirement("view-command-draws-a-view")
def test_a_name_too_long_for_its_box_is_below_it_and_stays_on_the_page() -> None:
    tiny = LayoutNode("t", "element", "Telephone line", 0, 0, 20, 24, None, "e4", "BusinessInterface", "business")
    picture = drawn(tiny)
    captions = [text for text in found(picture, "text") if text.text == "Telephone line"]
    assert len(captions) == 2, "a halo and the words"
    (y,) = {float(text.attrib["y"]) for text in captions}
    left, top, width, height = map(float, picture.attrib["viewBox"].split())
    half = width_of("Telephone line", float(captions[0].attrib["font-size"])) / 2
    assert 24 < y < top + height
    assert left <= 10 - half
    assert 10 + half <= left + width
    assert "…" not in "".join(picture.itertext())


@pytest.mark.requirement("view-command-draws-a-view")
@pytest.mark.parametrize(
    ("relationship", "dashed", "polygons", "filled"),
    [
        (line("Composition"), False, 1, True),
        (line("Aggregation"), False, 1, False),
        (line("Realization"), True, 1, False),
        (line("Specialization"), False, 1, False),
        (line("Triggering"), False, 1, True),
        (line("Flow"), True, 1, True),
        (line("Serving"), False, 0, False),
        (line("Influence"), True, 0, False),
        (line("Access", "write"), True, 0, False),
        (line("Association"), False, 0, False),
    ],
)  # fmt: skip
def test_each_relationship_has_its_own_line_and_end(
    relationship: LayoutConnection, *, dashed: bool, polygons: int, filled: bool
) -> None:
    picture = drawn(A, C, lines=(relationship,))
    course = found(picture, "polyline")[0]
    assert (course.get("stroke-dasharray") is not None) is dashed
    ends = found(picture, "polygon")
    assert len(ends) == polygons
    assert all((end.get("fill") != "#ffffff") is filled for end in ends)


def ends_of(relationship: LayoutConnection) -> tuple[int, int, int]:
    picture = drawn(A, C, lines=(relationship,))
    return len(found(picture, "polyline")), len(found(picture, "polygon")), len(found(picture, "circle"))


def test_accesses_assignments_and_directed_associations_show_which_way() -> None:
    assert ends_of(line("Access")) == (1, 0, 0)
    assert ends_of(line("Access", "read")) == ends_of(line("Access", "write")) == (2, 0, 0)
    assert ends_of(line("Access", "readwrite")) == (3, 0, 0)
    assert ends_of(line("Assignment")) == (1, 1, 1)
    assert ends_of(line("Association")) == (1, 0, 0)
    assert ends_of(line("Association", "directed")) == (2, 0, 0)
    read, write = (picture_of(Layout((A, C), (line("Access", mode),)), "") for mode in ("read", "write"))
    assert read != write


def points(node: Element) -> list[tuple[float, float]]:
    return [tuple(map(float, pair.split(","))) for pair in (node.get("points") or "").split()]  # type: ignore[misc]


def test_lines_go_straight_between_boxes_that_face_each_other_and_end_at_their_edges() -> None:
    down = points(found(drawn(A, B, lines=(LayoutConnection("l", "a", "b"),)), "polyline")[0])
    assert down == [(70, 65), (70, 200)]
    across = points(found(drawn(A, C, lines=(LayoutConnection("l", "a", "c"),)), "polyline")[0])
    assert across == [(130, 42.5), (300, 42.5)]
    bent = LayoutConnection("l", "a", "c", bends=((215, 150),))
    way = points(found(drawn(A, C, lines=(bent,)), "polyline")[0])
    assert way[1] == (215, 150)
    twice = drawn(A, B, lines=(LayoutConnection("l", "a", "b"), LayoutConnection("m", "b", "a")))
    first, second = (points(course) for course in found(twice, "polyline"))
    assert abs(first[0][0] - second[-1][0]) > 5, "two lines between the same boxes lie beside each other"


def test_a_line_may_end_at_a_line_and_one_into_a_nested_box_is_left_out() -> None:
    inside = LayoutNode("i", "element", "Part", 20, 30, 60, 20, "a", "e9", "ApplicationFunction", "application")
    nested = drawn(A, inside, lines=(LayoutConnection("l", "a", "i", "Composition"),))
    assert found(nested, "polyline") == []
    onto = (LayoutConnection("m", "b", "l", "Association"), LayoutConnection("l", "a", "c", "Flow"))
    picture = drawn(A, B, C, lines=onto)
    ends = {course[-1] for course in map(points, found(picture, "polyline"))}
    assert (215, 42.5) in ends, "the middle of the line between the two"
    loop = drawn(A, lines=(LayoutConnection("l", "a", "a", "Flow"),))
    assert len(points(found(loop, "polyline")[0])) == 5
    lost = drawn(A, lines=(LayoutConnection("l", "a", "nowhere"),))
    assert found(lost, "polyline") == []


@given(st.text(max_size=120), st.floats(20, 400), st.floats(10, 100))
def test_names_never_leave_their_box(text: str, width: float, height: float) -> None:
    lines, size = fitted(text, width, height, (12.0, 10.0, 9.0))
    assert all(width_of(each, size) <= max(width, size * 2) for each in lines)
    whole = "".join(text.split())
    shown = "".join("".join(lines).split())
    assert shown == whole or (shown.endswith("…") and whole.startswith(shown[:-1]))
    assert "".join("".join(wrapped(text, width, 9.0)).split()) == whole


@given(NODES, LINES, TEXT)
def test_whatever_a_layout_holds_the_picture_is_well_formed_and_finite(
    nodes: list[LayoutNode], lines: list[LayoutConnection], name: str
) -> None:
    text = picture_of(Layout(tuple(nodes), tuple(lines)), name)
    ET.fromstring(text)  # noqa: S314 - our own
    assert not re.search(r"\b(nan|inf)\b", re.sub(r">[^<]*<", "><", text))
    width = re.search(r'width="([^"]+)"', text)
    assert width is not None
    assert math.isfinite(float(width[1]))
