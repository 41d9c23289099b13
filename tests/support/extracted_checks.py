"""What holds for every extracted document, whatever its format was."""

from itertools import pairwise

from citemark.model.text import BlockKind, Extracted


def assert_consistent(extracted: Extracted) -> None:
    """Blocks, sections and links agree with the body and with each other."""
    body = extracted.body
    assert "\x00" not in body
    body.encode()
    for block in extracted.blocks:
        text = block.span.of(body)
        assert text.strip()
        assert text == text.rstrip()
        assert text.startswith(block.head)
    assert all(a.span.end < b.span.start for a, b in pairwise(extracted.blocks))
    between = [(a.span.end, b.span.start) for a, b in pairwise(extracted.blocks)]
    assert all(body[start:end].isspace() for start, end in between)
    assert extracted.blocks[-1].span.end == len(body)
    _assert_sections(extracted)
    for link in extracted.links:
        assert link.target
        assert " ".join(link.span.of(body).split()).startswith(link.text)
    assert all(a.span.end <= b.span.start for a, b in pairwise(extracted.links))


def _assert_sections(extracted: Extracted) -> None:
    starts = {block.span.start for block in extracted.blocks}
    by_slug = {section.slug: section for section in extracted.sections}
    assert len(by_slug) == len(extracted.sections)
    assert all(a.span.end < b.span.start for a, b in pairwise(extracted.sections))
    for section in extracted.sections:
        assert section.span.start in starts
        assert section.span.of(extracted.body) == section.span.of(extracted.body).rstrip() != ""
        if section.parent is not None:
            parent = by_slug[section.parent]
            assert parent.span.start < section.span.start
            assert parent.level < section.level
            assert section.slug.startswith(f"{parent.slug}/")
    heads = [block for block in extracted.blocks if block.kind is BlockKind.TABLE and block.head]
    assert all(block.head.count("\n") == block.head.startswith("|") for block in heads)
