"""What elements and views say when nothing else of the model is at hand."""

from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from tests.support.markdown import assert_sound
from tests.support.model_files import E, R, Sketch, sketch

from citemark.embedding.minilm import MiniLM
from citemark.features.archimate.source.model_file import documents_of
from citemark.features.archimate.source.part_documents import PartDocument
from citemark.features.archimate.source.reader import read_model
from citemark.features.archimate.source.vocabulary import VERBS
from citemark.indexing.chunking import MAX_TOKENS, chunk_document, embedded_text
from citemark.model.layouts import layout_of


def documents(of: Sketch | bytes) -> dict[str, PartDocument]:
    data = of.archi() if isinstance(of, Sketch) else of
    return {each.native_id: each for each in documents_of(read_model(data))}


def text(of: Sketch | bytes, native_id: str) -> str:
    return documents(of)[native_id].extracted.body


def test_the_real_model_names_the_neighbours_of_an_element(shared_data: Path) -> None:
    said = documents((shared_data / "archimate" / "Archisurance.archimate").read_bytes())
    assert said["1393"].extracted.body == snapshot("""\
CRM System is an ApplicationComponent in the Application layer.
It realizes: CIS (ApplicationService), Insurance Application Service (BusinessService).
It serves Web portal (ApplicationComponent).
It is served by Claim Files Service (TechnologyService).\
""")
    assert said["580"].extracted.body == snapshot("""\
Valuate is a BusinessProcess in the Business layer.
It accesses for writing Damage Claim (BusinessObject) ["crud"].
It triggers Pay (BusinessProcess).
It is triggered by Accept (BusinessProcess).\
""")
    assert said["1407"].extracted.body.endswith("\nDescription: Customer Information Service")


@pytest.mark.requirement(
    "element-text-says-what-it-is", "element-text-says-each-relationship", "targets-of-one-relationship-are-grouped"
)
def test_an_element_has_name_type_layer_relationships_capability_properties_and_documentation() -> None:
    plan = sketch(
        [
            E("cap", "Capability", "Selling"),
            E("area", "Capability", "Commerce"),
            E(
                "a",
                name="Shop",
                documentation="Takes orders.\n\nNever sleeps.",
                inside='<property key="owner" value="Ops"/><property key="tier" value="1"/>',
                attributes='profiles="p"',
            ),
            E("b", "ApplicationService", "Ordering"),
            E("c", "BusinessProcess", "Order"),
            E("d", "BusinessProcess", "Return"),
        ],
        [
            R("Realization", "a", "b", "1"),
            R("Realization", "a", "cap", "2"),
            R("Composition", "area", "cap", "3"),
            R("Serving", "a", "d", "5", "on Sundays"),
            R("Serving", "a", "c", "4"),
            R("Flow", "c", "a", "6", inside="<documentation>Once a day.</documentation>"),
        ],
        more='<profile name="Microservice" id="p" conceptType="ApplicationComponent"/>',
    )
    said = documents(plan)
    assert said["a"].extracted.body == snapshot("""\
Shop is an ApplicationComponent (Microservice) in the Application layer.
It realizes: Ordering (ApplicationService), Selling (Capability).
It serves: Order (BusinessProcess), Return (BusinessProcess) ["on Sundays"].
It receives a flow from Order (BusinessProcess).
It belongs to the capabilities Selling, Commerce.
Properties: owner=Ops, tier=1
Description: Takes orders.
Never sleeps.\
""")
    assert said["a"].metadata == {
        "name": "Shop",
        "element_type": "ApplicationComponent",
        "layer": "application",
        "capability": "Selling\nCommerce",
        "folder": "All",
        "specialization": "Microservice",
    }
    assert "It flows to Shop (ApplicationComponent): Once a day." in said["c"].extracted.body
    assert said["cap"].metadata["capability"] == "Commerce"
    assert "capability" not in said["c"].metadata


@pytest.mark.requirement("relationship-verbs-have-inverses")
def test_every_relationship_is_said_from_both_sides() -> None:
    plan = sketch([E("a"), E("b")], [R(name, "a", "b", name) for name in VERBS])
    said = documents(plan)
    for verb in VERBS.values():
        assert f"It {verb.forth} b (ApplicationComponent)." in said["a"].extracted.body.replace("for writing ", "")
        assert f"It {verb.back} a (ApplicationComponent)." in said["b"].extracted.body.replace("for writing ", "")
    assert len({verb.back for verb in VERBS.values()} | {verb.forth for verb in VERBS.values()}) == 21


@pytest.mark.parametrize(
    ("relationship", "forth", "back"),
    [
        (R("Access", "a", "b", attributes='accessType="1"'), "accesses for reading b", "is accessed for reading by a"),
        (R("Access", "a", "b", attributes='accessType="2"'), "accesses b", "is accessed by a"),
        (
            R("Access", "a", "b", attributes='accessType="3"'),
            "accesses for reading and writing b",
            "is accessed for reading and writing by a",
        ),
        (
            R("Influence", "a", "b", attributes='strength="++"'),
            "influences b (ApplicationComponent) [strength ++]",
            "is influenced by a (ApplicationComponent) [strength ++]",
        ),
        (
            R("Association", "a", "b", attributes='directed="true"'),
            "is associated, one way, with b",
            "is associated, one way, by a",
        ),
    ],
)
def test_access_modes_strength_and_direction_are_stated(relationship: R, forth: str, back: str) -> None:
    said = documents(sketch([E("a"), E("b")], [relationship]))
    assert f"It {forth}" in said["a"].extracted.body
    assert f"It {back}" in said["b"].extracted.body


@pytest.mark.requirement("models-are-read-whole")
def test_elements_behind_junctions_are_named_on_both_sides() -> None:
    plan = sketch(
        [E("a"), E("j", "Junction", ""), E("k", "Junction", "", attributes='type="or"'), E("b"), E("c"), E("d")],
        [
            R("Triggering", "a", "j", "1"),
            R("Triggering", "j", "b", "2"),
            R("Triggering", "j", "k", "3"),
            R("Triggering", "k", "c", "4"),
            R("Flow", "j", "d", "5"),
        ],
    )
    said = documents(plan)
    through = "(through an and junction)."
    assert f"It triggers b (ApplicationComponent) and c (ApplicationComponent) {through}" in said["a"].extracted.body
    assert f"It is triggered by a (ApplicationComponent) {through}" in said["b"].extracted.body
    assert "It is triggered by a (ApplicationComponent) (through an or junction)." in said["c"].extracted.body
    assert said["j"].extracted.body.startswith("and junction is a Junction.\nIt flows to d")


def test_a_relationship_of_a_relationship_is_named_by_its_ends() -> None:
    plan = sketch([E("a"), E("b"), E("c")], [R("Flow", "a", "b", "f", "money"), R("Association", "c", "f", "s")])
    said = documents(plan)
    flow = 'the Flow "money" from a (ApplicationComponent) to b (ApplicationComponent)'
    assert f"It is associated with {flow}." in said["c"].extracted.body
    (stated,) = said["c"].relationships
    assert (stated.native_id, stated.type, stated.to_native_id) == ("s", "Association", "f")


@pytest.mark.parametrize(
    "said", [b"<purpose>Plans the harbour.</purpose>", b"<documentation>Plans the harbour.</documentation>"]
)
def test_a_model_states_its_purpose(said: bytes) -> None:
    plan = sketch([E("a")])
    data = plan.archi().replace(b"</archimate:model>", said + b'<property key="owner" value="EA"/></archimate:model>')
    assert text(data, "m") == "Model is an architecture model.\nProperties: owner=EA\nDescription: Plans the harbour."
    data = plan.exchange().replace(b"<elements>", b"<documentation>Plans the harbour.</documentation><elements>", 1)
    assert text(data, "m") == "Model is an architecture model.\nDescription: Plans the harbour."
    assert set(documents(plan)) == {"a"}


def test_relationships_are_stated_by_their_source_with_what_the_model_says_of_them() -> None:
    inside = '<documentation>Daily.</documentation><property key="volume" value="high"/>'
    plan = sketch(
        [E("a"), E("b", "DataObject", "Ledger")],
        [R("Access", "a", "b", "r", "books", inside, 'accessType="3"'), R("Association", "r", "b", "s")],
    )
    element = documents(plan)["a"]
    first, second = element.relationships
    assert dict(first.metadata) == {
        "name": "books",
        "access": "readwrite",
        "documentation": "Daily.",
        "properties": "volume=high",
        "target_name": "Ledger",
        "target_type": "DataObject",
    }
    assert "Ledger" in first.span.of(element.extracted.body)
    assert (second.native_id, second.metadata["source_relationship"]) == ("s", "r")


@pytest.mark.requirement("change-rebuilds-exactly-its-mentions")
def test_a_version_changes_with_the_content_and_with_nothing_else() -> None:
    plan = sketch([E("a"), E("b"), E("c")], [R("Serving", "a", "b", "r"), R("Flow", "c", "b", "s")])
    before = versions(plan)
    assert versions(sketch(reversed(plan.elements), reversed(plan.relationships))) == before
    named = replace(plan, relationships=[replace(plan.relationships[0], name="x"), plan.relationships[1]])
    assert changed(before, named) == {"a", "b"}
    assert changed(before, replace(plan, elements=[E("a", documentation="x"), *plan.elements[1:]])) == {"a"}
    assert changed(before, replace(plan, elements=[*plan.elements[:2], E("c", "Node")])) == {"b", "c"}
    moved = plan.archi().replace(b'name="All"', b'name="Moved"')
    assert {key for key, each in documents(moved).items() if each.version != before[key]} == {"a", "b", "c"}


def versions(plan: Sketch) -> dict[str, str]:
    return {key: each.version for key, each in documents(plan).items()}


def changed(before: dict[str, str], plan: Sketch) -> set[str]:
    return {key for key, version in versions(plan).items() if before[key] != version}


@pytest.mark.requirement("change-rebuilds-exactly-its-mentions")
def test_every_chunk_of_a_long_text_fits_and_says_what_its_names_are() -> None:
    others = [E(f"e{number}", name=f"Registry of accounts {number}") for number in range(120)]
    plan = sketch([E("hub", name="Hub"), *others], [R("Serving", "hub", each.id) for each in others])
    extracted = documents(plan)["hub"].extracted
    assert_sound(extracted)
    tokenizer = MiniLM().tokenizer
    chunks = chunk_document(extracted, tokenizer)
    assert len(chunks) > 5
    assert all(len(tokenizer.offsets([embedded_text(chunk.context, chunk.text)])[0]) <= MAX_TOKENS for chunk in chunks)
    assert all(chunk.text.startswith(("Hub is", "It serves: ")) and chunk.context == "Hub" for chunk in chunks)


@pytest.mark.requirement("models-are-read-whole")
def test_a_view_lists_its_content_and_keeps_its_layout(shared_data: Path) -> None:
    said = documents((shared_data / "archimate" / "Archisurance.archimate").read_bytes())
    view = said["3698"]
    assert view.extracted.body.splitlines()[:2] == [
        "Organisation Structure View is a view of the model (viewpoint: organization).",
        "It shows: Archisurance (BusinessActor).",
    ]
    inside = "It shows, in Back Office (BusinessActor): Home & Away (BusinessActor), Car (BusinessActor)"
    assert inside in view.extracted.body
    assert view.doc_type == "view"
    layout = layout_of(view.metadata["layout"])
    assert {node.label for node in layout.nodes} >= {"HRM", "Car"}
    assert "It shows that Customer's Bank flows to Financial Handling" in said["3722"].extracted.body
    for each in said.values():
        assert_sound(each.extracted)
