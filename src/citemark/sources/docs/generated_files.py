"""Files that programs write beside those of a person: lock files of package managers, and minified code."""

import re

_LOCK_FILES = frozenset(
    {
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"),
        *("deno.lock", "poetry.lock", "pipfile.lock", "uv.lock", "pdm.lock", "conda-lock.yml", "pixi.lock"),
        *("cargo.lock", "composer.lock", "gemfile.lock", "go.sum", "go.work.sum", "mix.lock", "flake.lock"),
        *("packages.lock.json", "project.assets.json", "paket.lock", "gradle.lockfile", "buildscript-gradle.lockfile"),
        *("package.resolved", "podfile.lock", "cartfile.resolved", "pubspec.lock", "rebar.lock", "stack.yaml.lock"),
        *(
            "cabal.project.freeze",
            "renv.lock",
            "manifest.lock",
            "chart.lock",
            ".terraform.lock.hcl",
            "module.bazel.lock",
        ),
    }
)

_GENERATED = re.compile(
    r".+[.\-]min\.(?:js|mjs|cjs|css|html?|svg|json)|.+\.(?:bundle|chunk)\.(?:js|mjs|css)|.+\.map|.+\.(?:pyc|pyo|class)"
)


def is_lock_file(name: str) -> bool:
    """Tell whether a package manager writes files of that name to pin versions."""
    return name.lower() in _LOCK_FILES


def is_generated(name: str) -> bool:
    """Tell whether files of that name are minified, bundled or compiled."""
    return _GENERATED.fullmatch(name.lower()) is not None
