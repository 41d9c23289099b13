"""Folders that programs fill: build outputs, caches, virtual environments and vendored packages.

A name alone proves little: `build`, `dist` and `target` are ordinary words. Such a folder counts as generated in a
work tree of git, or beside the file of a build tool; others are known by what is in them, or by a name of their own.
"""

import os
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase

_CACHE, _PACKAGES, _OUTPUT, _ENVIRONMENT = "cache", "vendored packages", "build output", "virtual environment"
_HISTORY = "version control"

_ALWAYS: Mapping[str, str] = {
    "node_modules": _PACKAGES,
    "bower_components": _PACKAGES,
    "jspm_packages": _PACKAGES,
    "site-packages": _PACKAGES,
    "dist-packages": _PACKAGES,
    "__pypackages__": _PACKAGES,
    "elm-stuff": _PACKAGES,
    "__pycache__": _CACHE,
    ".git": _HISTORY,
    ".hg": _HISTORY,
    ".svn": _HISTORY,
    "CVS": _HISTORY,
}
"""Names that nothing but their program gives to a folder."""

_ALWAYS_ENDINGS: Mapping[str, str] = {".egg-info": _OUTPUT, ".dist-info": _PACKAGES}

_MARKERS: Mapping[str, str] = {"pyvenv.cfg": _ENVIRONMENT, "conda-meta": _ENVIRONMENT, "CACHEDIR.TAG": _CACHE}
"""Entries that programs leave in a folder to say what it is."""

_BUILD_FILES = frozenset(
    {
        *("package.json", "deno.json", "tsconfig.json", "bower.json", "angular.json"),
        *("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "conf.py", "mkdocs.yml", "Pipfile"),
        *("Cargo.toml", "go.mod", "pom.xml", "build.xml", "build.sbt", "composer.json", "Gemfile", "Rakefile"),
        *("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew", "mvnw"),
        *("CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "meson.build", "configure.ac", "SConstruct"),
        *("BUILD.bazel", "WORKSPACE", "MODULE.bazel", "mix.exs", "rebar.config", "dune-project"),
        *("stack.yaml", "Package.swift", "Podfile", "pubspec.yaml", "project.clj", "deps.edn", "book.toml", "elm.json"),
        *("hugo.toml", "_config.yml", "docusaurus.config.js", "docusaurus.config.ts", "astro.config.mjs"),
    }
)
_BUILD_FILE_ENDINGS = (".csproj", ".fsproj", ".vbproj", ".vcxproj", ".sln", ".cabal", ".gemspec", ".xcodeproj")

_OUTPUTS: Mapping[str, str] = {
    "build": _OUTPUT,
    "dist": _OUTPUT,
    "target": _OUTPUT,
    "_build": _OUTPUT,
    "_site": _OUTPUT,
    "htmlcov": _OUTPUT,
    "wheelhouse": _OUTPUT,
    "bazel-*": _OUTPUT,
    "cmake-build-*": _OUTPUT,
    "DerivedData": _OUTPUT,
    "vendor": _PACKAGES,
    "_vendor": _PACKAGES,
    "third_party": _PACKAGES,
    "third-party": _PACKAGES,
    "Pods": _PACKAGES,
    "Carthage": _PACKAGES,
}
"""Names of folders that are generated in a work tree, or beside any build file."""

_ONLY_BESIDE: Mapping[str, str] = {"out": _OUTPUT, "coverage": _OUTPUT}
"""Names that people of a work tree use for texts as well, so that only a build file beside them tells."""

_BESIDE: Mapping[str, tuple[str, ...]] = {
    "bin": (".csproj", ".fsproj", ".vbproj", ".sln"),
    "obj": (".csproj", ".fsproj", ".vbproj", ".sln"),
    "deps": ("mix.exs",),
    "site": ("mkdocs.yml",),
    "public": ("hugo.toml", "gatsby-config.js"),
    "book": ("book.toml",),
}
"""Names that are generated only beside one of these files (or files with these endings)."""

_PROSE = frozenset({"doc", "docs", "documentation", "handbook", "wiki", "notes", "manual", "guide", "guides"})
"""Folders of texts. In a work tree, `docs/build` is as likely a chapter about building as an output, and only a build
file beside it tells."""


def generated_kind(root: str, path: str, top_of: Callable[[], str | None]) -> str:
    """What a folder is if a program filled it, such as "build output"; "" for the folder of a person.

    Args:
        root: the real path of the source's folder.
        path: the folder, relative to the root.
        top_of: returns the top of the work tree of git that the folder is in, if any; called only if that decides.
    """
    parent, _, name = path.rpartition("/")
    if kind := named_kind(name):
        return kind
    for marker, kind in _MARKERS.items():
        if os.path.lexists(f"{root}/{path}/{marker}"):
            return kind
    around = f"{root}/{parent}" if parent else root
    output = next((kind for pattern, kind in _OUTPUTS.items() if fnmatchcase(name, pattern)), "")
    if output and _among_code(around, top_of()):
        return output
    output = output or _ONLY_BESIDE.get(name, "")
    files = _BESIDE.get(name, ())
    if not output and not files:
        return ""
    siblings = _names_in(around)
    if output and any(each in _BUILD_FILES or each.endswith(_BUILD_FILE_ENDINGS) for each in siblings):
        return output
    return _OUTPUT if files and any(each.endswith(files) for each in siblings) else ""


def named_kind(name: str) -> str:
    """What a folder is if its name alone tells."""
    if name in _ALWAYS:
        return _ALWAYS[name]
    return next((kind for ending, kind in _ALWAYS_ENDINGS.items() if name.endswith(ending)), "")


def _among_code(folder: str, top: str | None) -> bool:
    """Whether a folder is in a work tree, and not among its texts."""
    return top is not None and not _PROSE.intersection(folder[len(top) :].lower().split("/"))


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are all that is needed
    except OSError:
        return []
