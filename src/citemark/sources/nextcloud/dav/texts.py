"""The data of resources as texts: read in the parsing process, many at a time."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask, extracted_from_json, extracted_to_json
from citemark.extraction.sandbox.pool import BatchReader, ParserPool
from citemark.model.clock import Clock
from citemark.model.ids import NativeId
from citemark.sources.exchange import relationship_from_json, relationship_to_json
from citemark.sources.nextcloud.dav.kinds import ResourceLocation, ResourceText

CPU_SECONDS = 3.0
"""For one event or contact. Most take less than a thousandth; the largest that is not cut, about one."""

MEMORY_MIB = 256
"""That one may add to its process; the largest that is not cut adds some 60."""


class ResourceTexts:
    """Makes text of the data of one kind of resource."""

    def __init__(self, parsers: ParserPool, task: ParseTask, server: str, clock: Clock) -> None:
        """Take a task that reads with the arguments of `arguments_of`."""
        self._batches = BatchReader(parsers, task, resource_text_from_json)
        self._server = server
        self._clock = clock

    async def read(self, data: str, native_id: NativeId, location: ResourceLocation) -> ResourceText:
        """The resource as text.

        Raises:
            SkippableSourceError: it is broken, or not safe to read; the message says how.
            RetriableSourceError: no process for parsing could be had.
        """
        now = self._clock().isoformat()
        arguments = {"server": self._server, "now": now, "native_id": native_id, "place": asdict(location)}
        return await self._batches.read(ParseItem(data.encode("utf-8", "replace"), arguments))


def resource_text_to_json(readable: ResourceText) -> dict[str, Any]:
    """A text as the parsing process sends it."""
    return {
        "extracted": extracted_to_json(readable.extracted),
        "url": readable.url,
        "relationships": [relationship_to_json(each) for each in readable.relationships],
        "metadata": dict(readable.metadata),
    }


def resource_text_from_json(given: Mapping[str, Any]) -> ResourceText:
    """The text again.

    Raises:
        ValueError, TypeError, KeyError: the message is not of the form.
    """
    extracted = extracted_from_json(given["extracted"])
    return ResourceText(
        extracted,
        str(given["url"]),
        tuple(relationship_from_json(each, len(extracted.body)) for each in given["relationships"]),
        {str(key): str(value) for key, value in given["metadata"].items()},
    )
