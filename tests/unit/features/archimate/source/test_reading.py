"""Models as files hold them: real ones, and both formats held against each other."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.support.model_files import EXCHANGE, XSI, E, R, Sketch, sketch

from citemark.features.archimate.source.model_file import documents_of
from citemark.features.archimate.source.parts import Model
from citemark.features.archimate.source.reader import read_model
from citemark.features.archimate.source.vocabulary import LAYER_OF, VERBS
from citemark.model.architecture import LAYERS

Write = Callable[[Sketch], bytes]
both = pytest.mark.parametrize("write", [Sketch.exchange, Sketch.archi], ids=["exchange", "archi"])


@pytest.mark.requirement("exchange-and-archi-files-are-read")
@pytest.mark.parametrize(
    ("name", "elements", "relationships", "views"),
    [
        ("Archisurance.archimate", 120, 176, 17),
        ("testmodel1.archimate", 2, 1, 4),
        ("model_zipped.archimate", 0, 0, 2),
        ("Sample1.xml", 2, 1, 0),
    ],
)
def test_real_files_are_read_without_a_problem(
    shared_data: Path, name: str, elements: int, relationships: int, views: int
) -> None:
    model = read_model((shared_data / "archimate" / name).read_bytes())
    assert (len(model.elements), len(model.relationships), len(model.views)) == (elements, relationships, views)
    assert model.problems == ()


@pytest.mark.requirement("archi-2-files-are-read")
def test_a_file_of_archi_2_is_read_with_todays_names() -> None:
    model = read_model(Path(__file__).with_name("archi_2.archimate").read_bytes())
    assert model.problems == ()
    assert (model.description.name, model.description.documentation) == ("Harbour", "How ships get a berth.")
    types = {element.title: element.type for element in model.elements.values()}
    assert len(model.elements) == 19
    assert {name: types[name] for name in ("Assign Berth", "Tide Feed", "Tide Port", "Tide Recording")} == {
        "Assign Berth": "BusinessProcess",
        "Tide Feed": "TechnologyService",
        "Tide Port": "TechnologyInterface",
        "Tide Recording": "TechnologyFunction",
    }
    assert (types["Quay LAN"], types["Radio Link"]) == ("CommunicationNetwork", "Path")
    assert {each.junction for each in model.elements.values() if each.type == "Junction"} == {"and", "or"}
    master = model.elements["a1000001"].description
    assert (master.folder, master.properties) == ("Business/Actors", (("Owner", "Port Authority"),))
    said = {number: (each.type, each.source, each.target) for number, each in model.relationships.items()}
    assert len(said) == 16
    assert said["b1000004"] == ("Serving", "a2000002", "a1000003")
    assert said["b1000003"] == ("Realization", "a1000003", "a1000004")
    assert said["b1000008"] == ("Specialization", "a1000006", "a1000005")
    assert [model.relationships[f"b100000{number}"].access for number in (6, 7)] == ["read", "write"]


@pytest.mark.requirement("archi-2-files-are-read")
def test_a_view_of_archi_2_shows_its_boxes_and_the_relationships_of_its_lines() -> None:
    model = read_model(Path(__file__).with_name("archi_2.archimate").read_bytes())
    (view,) = model.views.values()
    assert (view.description.name, view.viewpoint) == ("Berths", "")
    boxes = {box.node_id: (box.kind, box.label, box.x, box.width) for box in view.layout.nodes}
    assert boxes == {
        "c1000002": ("group", "Quay", 40, 400),
        "c1000003": ("element", "Scheduling", 60, 120),
        "c1000005": ("element", "Assign Berth", 300, 120),
        "c1000006": ("note", "Tides are read every minute.", 500, 185),
    }
    (line,) = view.layout.connections
    assert (line.relationship_id, line.type, line.label) == ("b1000004", "Serving", "plans with")


@pytest.mark.requirement("models-are-read-whole")
@both
def test_every_element_type_has_its_layer_and_every_relationship_type_is_read(write: Write) -> None:
    elements = [E(name, name) for name in LAYER_OF]
    relationships = [R(name, "Node", "Device") for name in VERBS]
    model = read_model(write(sketch(elements, relationships)))
    assert model.problems == ()
    assert {element.type for element in model.elements.values()} == set(LAYER_OF)
    assert set(LAYER_OF.values()) == set(LAYERS)
    assert [each.type for each in model.relationships.values()] == list(VERBS)
    assert len(LAYER_OF) == 61
    assert len(VERBS) == 11


@pytest.mark.requirement("models-are-read-whole")
@pytest.mark.parametrize(
    ("data", "modes"),
    [
        (
            sketch(
                [E("a"), E("d", "DataObject")],
                [R("Access", "a", "d", f"{mode}.", attributes=f'accessType="{mode}"') for mode in ("0", "1", "2", "3")]
                + [R("Access", "a", "d", "none")],
            ).archi(),
            ["write", "read", "", "readwrite", "write"],
        ),
        (
            sketch(
                [E("a"), E("d", "DataObject")],
                [
                    R("Access", "a", "d", mode, attributes=f'accessType="{mode}"')
                    for mode in ("Write", "Read", "Access", "ReadWrite")
                ]
                + [R("Access", "a", "d", "none")],
            ).exchange(),
            ["write", "read", "", "readwrite", ""],
        ),
    ],
    ids=["archi", "exchange"],
)
def test_an_access_keeps_its_mode(data: bytes, modes: list[str]) -> None:
    assert [each.access for each in read_model(data).relationships.values()] == modes


@pytest.mark.requirement("models-are-read-whole")
@pytest.mark.parametrize(
    ("write", "strength", "directed"),
    [(Sketch.exchange, 'modifier="++"', 'isDirected="true"'), (Sketch.archi, 'strength="++"', 'directed="true"')],
    ids=["exchange", "archi"],
)
def test_strength_direction_and_relationships_of_relationships_are_kept(
    write: Write, strength: str, directed: str
) -> None:
    relationships = [
        R("Influence", "a", "b", "i", attributes=strength),
        R("Association", "a", "b", "s", attributes=directed),
        R("Association", "c", "s", "on"),
        R("Association", "on", "a", "off"),
    ]
    model = read_model(write(sketch([E("a"), E("b"), E("c")], relationships)))
    assert model.problems == ()
    assert model.relationships["i"].strength == "++"
    assert model.relationships["s"].directed
    assert not model.relationships["on"].directed
    assert (model.relationships["on"].target, model.relationships["off"].source) == ("s", "on")


def test_archi_says_properties_folders_and_specialisations() -> None:
    data = sketch(
        [
            E(
                "a",
                inside='<property key="owner" value="Ops"/><property key="owner" value="Dev"/>',
                attributes='profiles="p"',
            )
        ],
        more='<profile name="Microservice" id="p" conceptType="ApplicationComponent"/>'
        '<folder name="Business" id="g" type="business"><folder name="Roles" id="h">'
        '<element xsi:type="archimate:BusinessRole" id="r" name="Clerk"/></folder></folder>',
    ).archi()
    model = read_model(data)
    said = model.elements["a"].description
    assert said.properties == (("owner", "Ops"), ("owner", "Dev"))
    assert (said.folder, said.specializations) == ("All", ("Microservice",))
    assert model.elements["r"].description.folder == "Business/Roles"


def test_an_exchange_file_says_properties_and_folders() -> None:
    data = sketch(
        [E("a", inside='<properties><property propertyDefinitionRef="p"><value>Ops</value></property></properties>')],
        more="<organizations><item><label>Apps</label><item><label>Core</label>"
        '<item identifierRef="a"/></item></item></organizations><propertyDefinitions>'
        '<propertyDefinition identifier="p" type="string"><name>owner</name></propertyDefinition>'
        "</propertyDefinitions>",
    ).exchange()
    said = read_model(data).elements["a"].description
    assert (said.properties, said.folder) == ((("owner", "Ops"),), "Apps/Core")


@pytest.mark.parametrize(
    ("data", "kinds"),
    [
        (sketch([E("x", "Junction"), E("y", "Junction", attributes='type="or"')]).archi(), ["and", "or"]),
        (sketch([E("x", "AndJunction"), E("y", "OrJunction")]).exchange(), ["and", "or"]),
        (sketch([E("x", "AndJunction"), E("y", "OrJunction")]).archi(), ["and", "or"]),
    ],
)
def test_junctions_are_and_or_or(data: bytes, kinds: list[str]) -> None:
    model = read_model(data)
    assert [element.junction for element in model.elements.values()] == kinds
    assert {element.type for element in model.elements.values()} == {"Junction"}


def test_older_names_of_types_are_todays() -> None:
    data = sketch([E("s", "InfrastructureService"), E("c")], [R("UsedBy", "s", "c", "u")]).archi()
    model = read_model(data)
    assert model.elements["s"].type == "TechnologyService"
    assert model.relationships["u"].type == "Serving"


@pytest.mark.requirement("exchange-and-archi-files-are-read")
def test_a_zipped_archi_file_is_the_model_in_it() -> None:
    plain = sketch([E("a"), E("b")], [R("Serving", "a", "b")])
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("model.xml", plain.archi())
        archive.writestr("images/a.png", b"\x89PNG")
    assert read_model(packed.getvalue()) == read_model(plain.archi())


@pytest.mark.requirement("models-are-read-whole")
def test_a_view_of_archi_has_its_boxes_at_their_visible_places() -> None:
    views = (
        '<element xsi:type="archimate:ArchimateDiagramModel" id="v" name="Main" viewpoint="layered">'
        '<child xsi:type="archimate:Group" id="g" name="Frame"><bounds x="100" y="50" width="300" height="200"/>'
        '<child xsi:type="archimate:DiagramObject" id="n1" archimateElement="a">'
        '<bounds x="10" y="20" width="-1" height="-1"/>'
        '<sourceConnection xsi:type="archimate:Connection" id="l" source="n1" target="n2" archimateRelationship="r">'
        '<bendpoint startX="40" startY="0" endX="-260" endY="0"/></sourceConnection></child></child>'
        '<child xsi:type="archimate:DiagramObject" id="n2" type="1" archimateElement="b">'
        '<bounds x="410" y="70" width="120" height="55"/></child>'
        '<child xsi:type="archimate:DiagramModelReference" id="m" model="w">'
        '<bounds x="0" y="0" width="50" height="50"/></child>'
        '<child xsi:type="archimate:Note" id="o"><bounds x="0" y="300" width="50" height="50"/>'
        "<content>Ask Kim</content></child>"
        '</element><element xsi:type="archimate:SketchModel" id="w" name="Other"/>'
    )
    model = read_model(sketch([E("a"), E("b")], [R("Serving", "a", "b", "r")], views).archi())
    assert model.problems == ()
    layout = model.views["v"].layout
    places = {node.node_id: (node.kind, node.label, node.x, node.y, node.width, node.parent) for node in layout.nodes}
    assert places == {
        "g": ("group", "Frame", 100, 50, 300, None),
        "n1": ("element", "a", 110, 70, 120, "g"),
        "n2": ("element", "b", 410, 70, 120, None),
        "m": ("view", "Other", 0, 0, 50, None),
        "o": ("note", "Ask Kim", 0, 300, 50, None),
    }
    (line,) = layout.connections
    assert (line.type, line.relationship_id, line.source, line.target) == ("Serving", "r", "n1", "n2")
    assert line.bends == ((210.0, 97.5),)
    assert model.views["v"].viewpoint == "layered"


@pytest.mark.requirement("models-are-read-whole")
def test_a_view_of_an_exchange_file_has_the_same_parts() -> None:
    views = (
        '<view identifier="v" xsi:type="Diagram" viewpoint="Layered"><name>Main</name>'
        '<node identifier="g" xsi:type="Container" x="100" y="50" w="300" h="200"><label>Frame</label>'
        '<node identifier="n1" xsi:type="Element" elementRef="a" x="110" y="70" w="120" h="55"/></node>'
        '<node identifier="n2" xsi:type="Element" elementRef="b" x="410" y="70" w="120" h="55"/>'
        '<node identifier="o" xsi:type="Label" x="0" y="300" w="50" h="50"><label>Ask Kim</label></node>'
        '<connection identifier="l" xsi:type="Relationship" relationshipRef="r" source="n1" target="n2">'
        '<bendpoint x="210" y="97"/></connection></view>'
    )
    model = read_model(sketch([E("a"), E("b")], [R("Serving", "a", "b", "r")], views).exchange())
    assert model.problems == ()
    layout = model.views["v"].layout
    assert [(node.node_id, node.kind, node.label, node.x, node.parent) for node in layout.nodes] == [
        ("g", "group", "Frame", 100, None),
        ("n1", "element", "a", 110, "g"),
        ("n2", "element", "b", 410, None),
        ("o", "note", "Ask Kim", 0, None),
    ]
    assert layout.connections[0].bends == ((210.0, 97.0),)


def test_both_formats_of_a_model_are_read_alike() -> None:
    plan = sketch([E("a", documentation="First.\n\nSecond."), E("b", "Node")], [R("Flow", "a", "b", "f", "money")])
    assert without_folders(read_model(plan.exchange())) == without_folders(read_model(plan.archi()))


def without_folders(model: Model) -> tuple[object, object]:
    elements = [replace(each, description=replace(each.description, folder="")) for each in model.elements.values()]
    return elements, [
        replace(each, description=replace(each.description, folder="")) for each in model.relationships.values()
    ]


LANGUAGES = (
    f'<model xmlns="{EXCHANGE}" xmlns:xsi="{XSI}" identifier="m"><name xml:lang="nl">Model</name>'
    '<documentation xml:lang="de">Alles.</documentation><documentation xml:lang="nl">Alles hier.</documentation>'
    "<elements>"
    '<element identifier="a" xsi:type="Node"><name xml:lang="de">Rechner</name><name xml:lang="en-GB">Computer</name>'
    '<name xml:lang="nl">Computer</name><name>Machine</name></element>'
    '<element identifier="b" xsi:type="Node"><name xml:lang="xx">Odd</name><name xml:lang="de"/></element></elements>'
    '<propertyDefinitions><propertyDefinition identifier="p" type="string"><name xml:lang="de">Halter</name>'
    '<name xml:lang="en">Owner</name></propertyDefinition></propertyDefinitions>'
    '<views><diagrams><view identifier="v" xsi:type="Diagram"><name xml:lang="de">Sicht</name>'
    '<name xml:lang="en">View</name><node identifier="n" xsi:type="Label"><label xml:lang="de">Notiz</label>'
    '<label xml:lang="en">Note</label></node></view></diagrams></views></model>'
).encode()


@pytest.mark.requirement("names-in-every-language")
@pytest.mark.parametrize(
    ("language", "name", "others"),
    [
        ("english", "Computer", (("Machine", ""), ("Rechner", "German"))),
        ("german", "Rechner", (("Machine", ""), ("Computer", "English"))),
        ("", "Computer", (("Machine", ""), ("Rechner", "German"))),
        ("spanish", "Machine", (("Rechner", "German"), ("Computer", "English"))),
    ],
)
def test_names_in_the_language_of_the_source_come_first(
    language: str, name: str, others: tuple[tuple[str, str], ...]
) -> None:
    model = read_model(LANGUAGES, language)
    said = model.elements["a"].description
    assert said.name == name
    assert [each for each, _ in said.other_names] == [each for each, _ in others]
    assert model.elements["b"].description.name == "Odd"


@pytest.mark.requirement("names-in-every-language")
def test_the_names_in_other_languages_are_names_of_the_document() -> None:
    documents = documents_of(read_model(LANGUAGES, "german"))
    aliases = {each.extracted.title: each.extracted.aliases for each in documents}
    assert set(aliases["Rechner"]) == {"Machine", "Computer"}
    assert aliases["Sicht"] == ("View",)


def test_texts_of_a_model_views_and_notes_have_the_language_of_the_source_first() -> None:
    model = read_model(LANGUAGES, "english")
    view = model.views["v"]
    assert (view.description.name, view.description.other_names) == ("View", (("Sicht", "German"),))
    assert view.layout.nodes[0].label == "Note Notiz"
    assert read_model(LANGUAGES).description.documentation == "Alles hier.\nAlles."
