"""A model that takes all memory to be parsed, in a process of its own."""

from pathlib import Path

import pytest
from tests.support.model_files import EXCHANGE, E, sketch

from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.sandbox.process import Limits
from citemark.features.archimate.source.model_file import read_snapshot
from citemark.model.errors import FatalSourceError


@pytest.mark.requirement("hostile-formats-parsed-in-limited-processes")
async def test_a_model_that_wants_too_much_memory_is_refused_and_the_next_one_is_read(tmp_path: Path) -> None:
    """Fifteen megabytes of empty boxes."""
    crowd, sound = tmp_path / "crowd.xml", tmp_path / "sound.xml"
    crowd.write_bytes(f'<model xmlns="{EXCHANGE}">{"<x/>" * 4_000_000}</model>'.encode())
    sound.write_bytes(sketch([E("a")]).exchange())
    parsers = ParserPool(Limits(seconds=60, memory_mib=300, processes=1))
    try:
        with pytest.raises(FatalSourceError, match="more than the 300 MiB"):
            await read_snapshot(crowd, parsers)
        assert len((await read_snapshot(sound, parsers)).documents) == 1
    finally:
        await parsers.close()
