"""Which file a citation stands in, for the person at this machine."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.kinds import KINDS

from citemark.model.citation import Anchor, Citation
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.model.text import Span
from citemark.services.catalog import LocalFile, LocalFiles


def cited(document_id: str, heading: str | None = None, source: str = "docs") -> Citation:
    return Citation(
        source=source,
        doc_type="section" if heading else "page",
        document_id=document_id,
        revision_id="1",
        baseline_id=None,
        as_of=datetime(2026, 11, 20, tzinfo=UTC),
        anchor=Anchor(heading=heading),
        span=Span(0, 1),
        title="",
        url=None,
    )


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    for name in ("a b.md", "odd#name.md", "book.pdf", "model.xml"):
        (tmp_path / name).touch()
    here = {"docs": {"root": str(tmp_path)}, "archimate": {"path": str(tmp_path / "model.xml")}}
    elsewhere = {"nextcloud": {"server": "https://cloud.example", "user": "ada"}}
    kinds = (here | elsewhere).items()
    return LocalFiles.among((Source(SourceId(1), "local", kind, kind, config) for kind, config in kinds), KINDS)


@pytest.mark.requirement("local-callers-get-file-links")
@pytest.mark.parametrize(
    ("document_id", "heading", "name", "part"),
    [
        ("a b.md", None, "a b.md", ""),
        ("a b.md#guide/ports", "guide/ports", "a b.md", ""),
        ("odd#name.md", None, "odd#name.md", ""),
        ("book.pdf#page-12", "page-12", "book.pdf", "#page=12"),
    ],
)
def test_a_link_opens_the_file_where_programs_know_how(
    files: LocalFiles, tmp_path: Path, document_id: str, heading: str | None, name: str, part: str
) -> None:
    path = tmp_path / name
    assert files.of(cited(document_id, heading)) == LocalFile(path, path.as_uri() + part)


@pytest.mark.requirement("local-callers-get-file-links")
def test_the_file_of_an_element_is_that_of_its_model(files: LocalFiles, tmp_path: Path) -> None:
    found = files.of(cited("id-4711", source="archimate"))
    assert found is not None
    assert found.path == tmp_path / "model.xml"


@pytest.mark.requirement("local-callers-get-file-links")
@pytest.mark.parametrize(
    "citation", [cited("gone.md"), cited("a b.md", source="other"), cited("7", source="nextcloud")]
)
def test_remote_documents_have_no_file(files: LocalFiles, citation: Citation) -> None:
    assert files.of(citation) is None
