"""An architecture model keeps the contract of sources, in both of its formats."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.contract.source_contract import SourceContract, World, listing, verdict
from tests.support.model_files import E, R, Sketch, sketch

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.archimate.source.connector import archimate_connector
from citemark.model.documents import Verdict
from citemark.model.errors import ConfigurationError, FatalSourceError
from citemark.model.ids import NativeId

Write = Callable[[Sketch], bytes]


@pytest.fixture(params=[Sketch.exchange, Sketch.archi], ids=["exchange", "archi"])
def write(request: pytest.FixtureRequest) -> Write:
    return request.param


class TestArchimateSource(SourceContract):
    """The suite over models."""

    @pytest.fixture
    def world(self, tmp_path: Path, write: Write, parsers: ParserPool) -> World:
        path = tmp_path / "model.xml"
        elements: dict[str, E] = {}

        def save() -> None:
            # A new file each time, as programs save.
            fresh = tmp_path / "model.new"
            fresh.write_bytes(write(sketch(elements.values())))
            fresh.replace(path)

        def put(name: str, words: str) -> NativeId:
            elements[name] = E(name, documentation=words)
            save()
            return NativeId(name)

        def drop(name: str) -> None:
            del elements[name]
            save()

        def rename(name: str, other: str) -> None:
            elements[name] = replace(elements[name], name=other)
            save()

        @contextmanager
        def away() -> Generator[None, None, None]:
            kept = path.rename(tmp_path / "elsewhere")
            yield
            kept.rename(path)

        save()
        return World(archimate_connector({"path": str(path)}, parsers=parsers), "element", put, drop, away, rename)


async def test_only_elements_whose_text_names_a_change_get_another_version(
    tmp_path: Path, write: Write, parsers: ParserPool
) -> None:
    path = tmp_path / "model.xml"
    connector = archimate_connector({"path": str(path)}, parsers=parsers)
    relationships = [R("Serving", "hub", f"near-{number}") for number in range(50)]
    others = [E(f"near-{number}") for number in range(50)] + [E(f"far-{number}") for number in range(50)]
    path.write_bytes(write(sketch([E("hub", name="Billing"), *others], relationships)))
    before = (await listing(connector)).listed
    path.write_bytes(write(sketch([E("hub", name="Invoicing"), *others], relationships)))
    after = (await listing(connector)).listed
    changed = {key for key in before if before[key].version != after[key].version}
    assert changed == {"hub", *(f"near-{number}" for number in range(50))}
    assert await verdict(connector, "element", "near-0", before[NativeId("near-0")].version) is Verdict.CHANGED
    assert await verdict(connector, "element", "far-0", before[NativeId("far-0")].version) is Verdict.OK


async def test_a_file_that_is_not_a_model_deletes_nothing_and_the_reason_is_reported(
    tmp_path: Path, parsers: ParserPool
) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(sketch([E("a")]).exchange())
    connector = archimate_connector({"path": str(path)}, parsers=parsers)
    version = (await listing(connector)).listed[NativeId("a")].version
    path.write_bytes(b"<model>half")
    with pytest.raises(FatalSourceError, match="not well-formed XML"):
        await listing(connector)
    assert await verdict(connector, "element", "a", version) is Verdict.UNKNOWN


async def test_a_source_without_a_file_is_refused(parsers: ParserPool) -> None:
    with pytest.raises(ConfigurationError, match="path"):
        archimate_connector({}, parsers=parsers)
