"""The version of a document: what this account gets of it, and what else its text depends on."""

import hashlib
from datetime import datetime

from citemark.model.ids import Version
from citemark.sources.nextcloud.dav.snapshots import ResourceState


def version_of(state: ResourceState, label: str, now: datetime) -> Version:
    """The etag and data of the resource, the name of its collection, and the month for what repeats.

    The data counts because a server hides parts of an event from a reader without another etag. The month counts
    because the text of what repeats names its next dates, which go by.
    """
    month = f"{now:%Y-%m}" if state.repeats else ""
    return Version(f"{_hash(state.etag, state.digest)}@{_hash(label, month)[:8]}")


def same_data(state: ResourceState, version: Version) -> bool:
    """Whether a version is of the same data, whatever else may have changed about it."""
    return version.partition("@")[0] == _hash(state.etag, state.digest)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]
