"""Files that are no models, models with something wrong in them, and models that are meant to hurt."""

import random
import re
import struct
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.model_files import ARCHI, EXCHANGE, XSI, E, R, Sketch, sketch

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source import model_file, xml_file
from citemark.features.archimate.source.model_file import read_snapshot
from citemark.features.archimate.source.parts import Model
from citemark.features.archimate.source.reader import read_model
from citemark.model.errors import FatalSourceError, SkippableSourceError

_IDS = re.compile(rb' id="([^"]+)"')
_LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
_MODEL = f'<model xmlns="{EXCHANGE}" xmlns:xsi="{XSI}" identifier="m"><name>{{}}</name></model>'


def problems(model: Model) -> dict[str, str]:
    return {problem.native_id: problem.message for problem in model.problems}


@pytest.mark.requirement("model-xml-read-safely", "entity-tricks-and-bombs-refused")
@pytest.mark.parametrize(
    "prolog",
    [
        f'<!DOCTYPE model [<!ENTITY l0 "ha">{_LAUGHS}]>',
        '<!DOCTYPE model [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE model [<!ENTITY % d SYSTEM "http://127.0.0.1:9/d"> %d;]>',
        '<!DOCTYPE model SYSTEM "http://127.0.0.1:9/model.dtd">',
        "<!DOCTYPE model>",
    ],
    ids=["billion laughs", "file", "parameter entity", "foreign type", "bare"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_refused_before_anything_is_expanded(prolog: str, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>{prolog}{_MODEL.format("&l9;" if "l9" in prolog else "x")}'
    with pytest.raises(SkippableSourceError, match="document type or entities"):
        read_model(text.encode(encoding))


@pytest.mark.requirement("odd-models-break-nothing")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", r"empty\. Give an Open Group"),
        (b"   ", "empty"),
        (b"Dear all,\nno model", r"not found \(line 1\)\. Give an Open Group"),
        (b"\x00\x01\x02", "not well-formed XML|not a model"),
        (b"<model>", "not well-formed XML"),
        (b"<html><body/></html>", "not an ArchiMate model: its root is 'html'"),
        (b'<model xmlns="urn:other"/>', "not an ArchiMate model"),
        (b'<model xmlns="http://www.opengroup.org/xsd/archimate"/>', "version 2 of the exchange format"),
        (b"<!--" + b" " * 70_000 + b"-->" + _MODEL.format("x").encode(), "not a model"),
        (b"<a>" * 400, "not well-formed XML"),
    ],
)
def test_a_file_that_is_not_a_model_is_refused_with_its_actual_kind(data: bytes, said: str) -> None:
    with pytest.raises(SkippableSourceError, match=said):
        read_model(data)


@pytest.mark.requirement("model-xml-read-safely", "entity-tricks-and-bombs-refused")
async def test_a_model_of_200_megabytes_is_refused_unread(tmp_path: Path, parsers: ParserPool) -> None:
    path = tmp_path / "huge.xml"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    with pytest.raises(FatalSourceError, match="209,715,200 bytes, more than"):
        await read_snapshot(path, parsers)


@pytest.mark.requirement("model-xml-read-safely", "entity-tricks-and-bombs-refused")
def test_zips_that_are_crowded_bombs_or_no_archives_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    crowded = zipped({"model.xml": b"<a/>", **{f"images/{number}": b"" for number in range(10_000)}})
    with pytest.raises(SkippableSourceError, match="more than 2,000 entries"):
        read_model(crowded)
    with pytest.raises(SkippableSourceError, match="a zip bomb"):
        read_model(zipped({"model.xml": b" " * (40 * 2**20)}))
    with pytest.raises(SkippableSourceError, match=r"not an Archi archive"):
        read_model(zipped({"other.xml": b"<a/>"}))
    monkeypatch.setattr(xml_file, "MOST_MODEL_BYTES", 1000)
    with pytest.raises(SkippableSourceError, match="more than the 1,000 that are read"):
        read_model(zipped({"model.xml": bytes(range(256)) * 8}))
    damaged = bytearray(zipped({"model.xml": sketch([E("a")]).archi() * 3}))
    at = damaged.index(b"model.xml") + 40
    damaged[at : at + 8] = struct.pack("<q", 0)
    with pytest.raises(SkippableSourceError, match="damaged"):
        read_model(bytes(damaged))


def zipped(entries: dict[str, bytes]) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", 8) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return packed.getvalue()


@pytest.mark.requirement("model-faults-are-problems")
@pytest.mark.parametrize("write", [Sketch.exchange, Sketch.archi], ids=["exchange", "archi"])
def test_defects_of_a_model_are_reported_and_the_rest_is_kept(write: Callable[[Sketch], bytes]) -> None:
    model = read_model(
        write(
            sketch(
                [
                    E("a"),
                    E("a", "Node", "Second"),
                    E("n", "BusinessProcess", ""),
                    E("u", "Spaceship", "Rocket"),
                    E("", "Node", "Nobody"),
                    E("b"),
                ],
                [
                    R("Serving", "a", "b", "good"),
                    R("Serving", "a", "gone", "dangling"),
                    R("Serving", "a", "u", "cascade"),
                    R("Teleports", "a", "b", "unknown"),
                    R("Serving", "b", "a", "b"),
                    R("Association", "ring-2", "a", "ring-1"),
                    R("Association", "ring-1", "a", "ring-2"),
                ],
            )
        )
    )
    assert list(model.elements) == ["a", "n", "b"]
    assert model.elements["a"].type == "ApplicationComponent"
    assert list(model.relationships) == ["good"]
    told = problems(model)
    assert "has the id of the ApplicationComponent 'a'; only the first is indexed" in told["a"]
    assert "has no name; it is indexed as 'unnamed BusinessProcess'" in told["n"]
    assert "'Spaceship', which is not an element type" in told["u"]
    assert "has no id" in told["(no id)"]
    assert "'gone', which is not in the model" in told["dangling"]
    assert "'u', which is not in the model" in told["cascade"]
    assert "'Teleports" in told["unknown"]
    assert "only the first is indexed" in told["b"]
    assert "'ring-2'" in told["ring-1"]
    assert "'ring-1'" in told["ring-2"]


@pytest.mark.requirement("model-faults-are-problems")
def test_a_relationship_with_an_id_too_long_for_the_index_is_reported_and_the_rest_is_kept() -> None:
    endless = "r" * 5_003
    model = read_model(
        sketch([E("a"), E("b")], [R("Serving", "a", "b", endless), R("Serving", "b", "a", "r" * 1_000)]).archi()
    )
    assert list(model.relationships) == ["r" * 1_000]
    assert "has 5,003 bytes, more than the 1,000 that are indexed" in problems(model)[endless]


@pytest.mark.requirement("model-faults-are-problems")
def test_a_view_is_kept_without_parts_that_the_model_lacks() -> None:
    views = (
        '<element xsi:type="archimate:ArchimateDiagramModel" id="v" name="">'
        '<child xsi:type="archimate:DiagramObject" id="n1" archimateElement="a"/>'
        '<child xsi:type="archimate:DiagramObject" id="n1" archimateElement="a"/>'
        '<child xsi:type="archimate:DiagramObject" id="n2" name="Ghost" archimateElement="gone">'
        '<sourceConnection id="l1" source="n2" target="n1" archimateRelationship="gone"/>'
        '<sourceConnection id="l2" source="n2" target="nowhere"/></child>'
        '<child xsi:type="archimate:DiagramModelReference" id="m" model="gone">'
        '<bounds x="nan" y="1e99" width="x"/></child>'
        "</element>"
    )
    model = read_model(sketch([E("a")], views=views).archi())
    layout = model.views["v"].layout
    assert [(node.node_id, node.kind, node.refers_to) for node in layout.nodes] == [
        ("n1", "element", "a"),
        ("n2", "group", None),
        ("m", "view", None),
    ]
    assert [(line.connection_id, line.relationship_id) for line in layout.connections] == [("l1", None)]
    told = problems(model)["v"]
    for part in (
        "no name",
        "Two boxes",
        "the element 'gone'",
        "the relationship 'gone'",
        "the view 'gone'",
        "1 line(s)",
    ):
        assert part in told


def test_the_first_of_many_problems_are_listed_and_the_rest_counted() -> None:
    relationships = [R("Serving", "a", f"gone-{number}", f"r{number}") for number in range(1_500)]
    model = read_model(sketch([E("a")], relationships).exchange())
    assert len(model.problems) == 1_001
    assert model.problems[-1].message.startswith("500 more")


@pytest.mark.requirement("odd-models-break-nothing")
def test_cycles_of_compositions_and_junctions_end() -> None:
    elements = [E("c1", "Capability"), E("c2", "Capability"), E("x"), E("j1", "AndJunction"), E("j2", "OrJunction")]
    relationships = [
        R("Composition", "c1", "c2"),
        R("Composition", "c2", "c1"),
        R("Composition", "x", "x"),
        R("Realization", "x", "c1"),
        R("Flow", "x", "j1"),
        R("Flow", "j1", "j2"),
        R("Flow", "j2", "j1"),
        R("Flow", "j2", "x"),
    ]
    path_model = sketch(elements, relationships).exchange()
    documents = model_file.documents_of(read_model(path_model))
    said = {each.native_id: each for each in documents}
    assert said["x"].metadata["capability"] == "c1\nc2"  # pyright: ignore[reportArgumentType]
    assert said["c1"].metadata["capability"] == "c2"  # pyright: ignore[reportArgumentType]


def test_the_namespace_decides_and_not_the_name_of_the_file() -> None:
    assert read_model(f'<a:model xmlns:a="{ARCHI}" name="n" id="i"/>'.encode()).elements == {}


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_a_damaged_model_is_read_or_refused_and_breaks_nothing(shared_data: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = (shared_data / "archimate" / "Archisurance.archimate").read_bytes()
    lines = data.split(b"\n")
    for _ in range(20):
        taken = lines.pop(chance.randrange(len(lines))) if chance.random() < 0.5 else chance.choice(lines)
        lines.insert(chance.randrange(len(lines)), taken)
    ids = _IDS.findall(data)
    damaged = b"\n".join(lines if chance.random() < 0.5 else data.split(b"\n"))
    for _ in range(20):
        damaged = damaged.replace(b'"%s"' % chance.choice(ids), b'"%s"' % chance.choice(ids), 1)
    try:
        model = read_model(damaged)
    except SkippableSourceError:
        return
    documents = model_file.documents_of(model)
    parts = Counter(each.doc_type for each in documents)
    assert (parts["element"], parts["view"]) == (len(model.elements), len(model.views))
    assert len({(each.doc_type, each.native_id) for each in documents}) == len(documents)
    for each in model.relationships.values():
        for end in (each.source, each.target):
            assert end in model.elements or end in model.relationships


@pytest.mark.requirement("coarchi-folders")
async def test_a_coarchi_folder_is_refused_with_what_to_do(
    tmp_path: Path, shared_data: Path, parsers: ParserPool
) -> None:
    folder = shared_data / "faults" / "25" / "grafico"
    other = tmp_path / "repository" / "model"
    other.mkdir(parents=True)
    (other / "folder.xml").write_text(f'<archimate:model xmlns:archimate="{ARCHI}" name="G" id="g"/>')
    relation = tmp_path / "ServingRelationship_1.xml"
    relation.write_text(f'<archimate:ServingRelationship xmlns:archimate="{ARCHI}" id="r"/>')
    places = [
        folder,
        folder / "model",
        folder / "model" / "folder.xml",
        folder / "model" / "business",
        folder / "model" / "business" / "folder.xml",
        folder / "model" / "business" / "BusinessActor_id-9.xml",
        other.parent,
        relation,
    ]
    for place in places:
        with pytest.raises(FatalSourceError, match=r"This is a coArchi folder, .* export the model as a file"):
            await read_snapshot(place, parsers)


async def test_a_folder_or_missing_file_is_refused(tmp_path: Path, parsers: ParserPool) -> None:
    for place, said in ((tmp_path, "no file|directory"), (tmp_path / "none.xml", "No such file")):
        with pytest.raises(FatalSourceError, match=said):
            await read_snapshot(place, parsers)
