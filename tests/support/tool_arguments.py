"""Arguments for tools, made from their input schemas: right, nearly right, and absurd."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, cast

from tests.support.hostile_texts import ODD_WORDS

Schema = Mapping[str, Any]

_ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 2**31, 2**63, -(2**64), 10**40, "", " ", "0", "null", "true",
    [], {}, [[]], [None], {"": None}, {"$ref": "#"}, "x" * 5_000, ["x"] * 500,
)  # fmt: skip
_QUESTIONS = (
    "Which descaler may be used?",
    "travel expenses",
    "on call",
    "component 3",
    "who is called at night",
    "heron",
    "Was kostet die Reise?",
)
_KINDS = ("right", "right", "nearly", "nearly", "absurd")
_OPTIONAL = 0.15
"""Share of the optional arguments that are given: with many of them, hardly a call is right in all."""

_MOST_DEPTH = 40
_MOST_LEARNT = 60
_LONGEST_LEARNT = 500


@dataclass(slots=True)
class Arguments:
    """Draws arguments of some `kinds` from `chance`; words of earlier results come back as handles, ids and cursors."""

    chance: Random
    kinds: tuple[str, ...] = _KINDS
    _known: deque[tuple[str, str]] = field(default_factory=lambda: deque[tuple[str, str]](maxlen=200))

    def learn(self, result: Any) -> None:
        """Have what a result shows be handed back in later calls."""
        self._known.extend(list(_named_words("", result))[:_MOST_LEARNT])

    def draw(self, schema: Schema) -> dict[str, Any]:
        """Arguments for a tool with this input schema."""
        kind = self.chance.choice(self.kinds)
        made: dict[str, Any] = self._right(schema, schema, "")
        if kind == "nearly":
            for _ in range(self.chance.randint(1, 2)):
                self._break(made, schema)
        elif kind == "absurd":
            made = {name: self._absurd() for name in schema.get("properties", ()) if self.chance.random() < 0.7}
            made |= {self._odd_word(): self._absurd() for _ in range(self.chance.randrange(4))}
        return made

    def _right(self, schema: Schema, root: Schema, name: str) -> Any:
        chance = self.chance
        if "$ref" in schema:
            return self._right(root["$defs"][schema["$ref"].rpartition("/")[2]], root, name)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self._right(chance.choice(schema[several]), root, name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return chance.choice(schema["enum"])
        kind: str = schema.get("type", "object")
        makers: dict[str, Callable[[], Any]] = {
            "string": lambda: self._text(schema, name),
            "integer": lambda: self._number(schema),
            "number": lambda: chance.uniform(schema.get("minimum", 0), schema.get("maximum", 1)),
            "boolean": lambda: chance.random() < 0.5,
            "null": lambda: None,
            "array": lambda: [self._right(schema.get("items", {}), root, name) for _ in range(self._length(schema))],
            "object": lambda: self._object(schema, root),
        }
        return makers[kind]()

    def _object(self, schema: Schema, root: Schema) -> dict[str, Any]:
        needed = schema.get("required", ())
        return {
            name: self._right(inner, root, name)
            for name, inner in schema.get("properties", {}).items()
            if name in needed or self.chance.random() < _OPTIONAL
        }

    def _length(self, schema: Schema) -> int:
        least = schema.get("minItems", 0)
        return self.chance.randint(least, min(schema.get("maxItems", least + 3), least + 3))

    def _number(self, schema: Schema) -> int:
        least = schema.get("minimum", 0)
        most = schema.get("maximum", least + 100)
        return self.chance.choice((least, most, self.chance.randint(least, most), self.chance.randint(least, most)))

    def _text(self, schema: Schema, name: str) -> str:
        draw = self.chance.random()
        same = [word for where, word in self._known if where in {name, f"next_{name}"} or name.endswith(f"_{where}")]
        if draw < 0.75 and same:
            text = self.chance.choice(same)
        elif draw < 0.3 and self._known:
            text = self.chance.choice(self._known)[1]
        elif draw < 0.9:
            text = self.chance.choice(_QUESTIONS)
        else:
            text = self._odd_word()
        return text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), "x")

    def _break(self, made: dict[str, Any], schema: Schema) -> None:
        """One thing about right arguments is wrong."""
        names = list(schema.get("properties", {})) or [""]
        name = self.chance.choice(names)
        inner: Schema = schema.get("properties", {}).get(name, {})
        match self.chance.randrange(5):
            case 0:
                made.pop(name, None)
            case 1:
                made[self._odd_word()] = self._absurd()
            case 2:
                made[name] = inner.get("maximum", inner.get("maxLength", 10**9)) + 1
            case 3:
                made[name] = "y" * (inner.get("maxLength", 4_000) + 1)
            case _:
                made[name] = self._absurd()

    def _absurd(self) -> Any:
        draw = self.chance.random()
        if draw < 0.1:
            deep: Any = None
            for level in range(self.chance.randrange(_MOST_DEPTH)):
                deep = [deep] if level % 2 else {"deep": deep}
            return deep
        return self._odd_word() if draw < 0.5 else self.chance.choice(_ODD_VALUES)

    def _odd_word(self) -> str:
        word = self.chance.choice(ODD_WORDS)
        return word if self.chance.random() < 0.7 else f"{self.chance.choice(_QUESTIONS)} {word}"


def _named_words(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every string of moderate length with the name of the field that it stands in."""
    if isinstance(value, str) and 0 < len(value) <= _LONGEST_LEARNT:
        yield name, value
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _named_words(key, inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _named_words(name, inner)
