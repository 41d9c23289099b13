"""The mutants of a module: mutmut's operators on every expression and assignment, those of whole modules included.

Left out: annotations, decorators, logging, and texts, of which the wording is for readers to judge.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import cast

import libcst as cst
import libcst.matchers as m
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import (
    mutation_operators,
    operator_arg_removal,
    operator_assignment,
    operator_string,
)

_TEXTS = (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString)
_UNTOUCHED_CALLS = m.OneOf(*(m.Name(name) for name in ("cast", "len", "isinstance", "NewType", "TypeVar")))
_LOGGING = m.Attribute(value=m.Name("_log") | m.Name("log"))
_TYPE_NAME = re.compile(r"_?[A-Z][a-z]\w*")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one place; `names` are what the statement assigns outside of functions."""

    path: str
    scope: str
    first_line: int
    last_line: int
    before: str
    after: str
    occurrence: int
    code: str
    names: tuple[str, ...] = ()

    @property
    def ident(self) -> str:
        """The same for the same change, wherever in the file it moves."""
        said = (self.path, self.scope, self.before, self.after, str(self.occurrence))
        return sha256("\0".join(said).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Site:
    """A place that can be changed, in one way or several."""

    node: cst.CSTNode
    changed: tuple[cst.CSTNode, ...]
    scope: str
    statement: cst.CSTNode
    before: str
    occurrence: int


class _Sites(cst.CSTVisitor):
    """Collects the places of a module that can be changed."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__()
        self.found: list[Site] = []
        self._module = module
        self._scopes: list[str] = []
        self._statements: list[cst.CSTNode] = [module]
        self._seen: dict[tuple[str, str], int] = {}

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Annotation | cst.Decorator | cst.Import | cst.ImportFrom):
            return False
        if m.matches(node, m.Call(func=_LOGGING)):
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self._scopes.append(node.name.value)
        if isinstance(node, cst.BaseStatement):
            self._statements.append(node)
        self._take(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self._scopes.pop()
        if isinstance(original_node, cst.BaseStatement):
            self._statements.pop()

    def _take(self, node: cst.CSTNode) -> None:
        changed = tuple(_changes(node, at_module_level=not self._scopes))
        if not changed:
            return
        scope, before = ".".join(self._scopes), self._module.code_for_node(node)
        nth = self._seen[scope, before] = self._seen.get((scope, before), 0) + 1
        self.found.append(Site(node, changed, scope, self._statements[-1], before, nth))


def _changes(node: cst.CSTNode, *, at_module_level: bool) -> Iterator[cst.CSTNode]:
    for kind, operator in mutation_operators:
        if not isinstance(node, kind) or operator is operator_string:
            continue
        if operator is operator_assignment and at_module_level and _names_a_type(node):
            continue
        if operator is operator_arg_removal:
            call = cst.ensure_type(node, cst.Call)
            # A text as an argument is most often wording; a key or name among them is reached through other mutants.
            if m.matches(call.func, _UNTOUCHED_CALLS) or any(isinstance(arg.value, _TEXTS) for arg in call.args):
                continue
        yield from operator(node)


def _names_a_type(node: cst.CSTNode) -> bool:
    targets = _assigned(node)
    return bool(targets) and all(_TYPE_NAME.fullmatch(name) for name in targets)


def _assigned(node: cst.CSTNode) -> tuple[str, ...]:
    match node:
        case cst.SimpleStatementLine():
            return tuple(name for each in node.body for name in _assigned(each))
        case cst.Assign():
            return tuple(each.target.value for each in node.targets if isinstance(each.target, cst.Name))
        case cst.AnnAssign(target=cst.Name(value=name)):
            return (name,)
        case _:
            return ()


def sampled(path: str, source: str, seed: str) -> Mapping[str, "Candidate"]:
    """A mutant of every place of a module, under a key by which a seeded sample is drawn.

    The key depends on the place alone, so that a change elsewhere leaves the sample as it was.
    """
    wrapper = MetadataWrapper(cst.parse_module(source))
    sites = _Sites(wrapper.module)
    wrapper.module.visit(sites)
    positions = wrapper.resolve(PositionProvider)
    found: dict[str, Candidate] = {}
    for site in sites.found:
        key = sha256("\0".join((seed, path, site.scope, site.before, str(site.occurrence))).encode()).hexdigest()
        found[key] = Candidate(path, wrapper.module, site, _lines(positions, site))
    return found


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place, not changed yet."""

    path: str
    module: cst.Module
    site: Site
    lines: tuple[int, int]

    def mutant(self, key: str) -> Mutant | None:
        """The change that the key chooses among those of the place; None when it leaves the code as it was."""
        site = self.site
        new = site.changed[int(key[-6:], 16) % len(site.changed)]
        code = cast("cst.Module", self.module.deep_replace(site.node, new)).code
        if code == self.module.code:
            return None
        after = self.module.code_for_node(new)
        names = () if "." in site.scope or site.scope[:1].islower() else _assigned(site.statement)
        return Mutant(self.path, site.scope, *self.lines, site.before, after, site.occurrence, code, names)


def _lines(positions: Mapping[cst.CSTNode, CodeRange], site: Site) -> tuple[int, int]:
    """The lines of a place's statement; of a compound statement, those of the place itself."""
    node = site.statement if isinstance(site.statement, cst.SimpleStatementLine) else site.node
    where = positions.get(node) or positions[site.statement]
    return where.start.line, where.end.line
