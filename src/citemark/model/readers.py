"""The versions of the code that made a text: an upgrade reads again what the changed parts of it had made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_UNKNOWN = -1
"""Less than every version: 0 is the version of a format that is recognised but not read."""


@dataclass(frozen=True, slots=True)
class TextVersion:
    """What a text was made with, or given up by.

    Attributes:
        common: the version of what every text goes through: how it is cut and analysed.
        readers: the versions of the readers that had a part in it, by name: those that its name or type calls for, and
            those that its content turned out to need.
    """

    common: int = 0
    readers: Mapping[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, common: int, names: Iterable[str], versions: Mapping[str, int]) -> "TextVersion":
        """The version of a text that these readers make today; unknown ones (of another release) are left out."""
        return cls(common, {name: versions[name] for name in sorted(set(names)) if name in versions})

    def covers(self, today: "TextVersion") -> bool:
        """Whether nothing that makes such a text today is newer than what made this one."""
        return self.common >= today.common and all(
            self.readers.get(name, _UNKNOWN) >= version for name, version in today.readers.items()
        )


def readers_text(readers: Mapping[str, int]) -> str:
    """The form in which versions are stored: "html=2 mail=1"."""
    return " ".join(f"{name}={version}" for name, version in sorted(readers.items()))


def readers_from_text(text: str) -> Mapping[str, int]:
    """Versions from the form in which they are stored."""
    return {name: int(version) for name, _, version in (entry.partition("=") for entry in text.split())}
