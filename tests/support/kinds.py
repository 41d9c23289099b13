"""The kinds of source of this program."""

from citemark.app.features import kinds_of

KINDS = kinds_of()
