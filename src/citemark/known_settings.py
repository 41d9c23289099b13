"""Tells the names of settings from names that are none: a mistyped one would otherwise be ignored without a word."""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches

PREFIX = "CITEMARK_"

_READ_ELSEWHERE = frozenset(
    {
        "CITEMARK_APP_PASSWORD",
        "CITEMARK_BENCH_DIR",
        "CITEMARK_MINILM_UPSTREAM_WHEEL",
        "CITEMARK_SOAK",
        "CITEMARK_TEST_DSN",
    }
)
"""Variables that commands, tests, the bench and the build of the model's wheel read."""

_OF_A_CLUSTER = re.compile(r"CITEMARK_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)?)")
"""What Kubernetes puts into every container beside a service that is called citemark."""


def unknown_setting(name: str, fields: Collection[str], where: str = "citemark.toml") -> str:
    """What to say of a key that is no setting: the nearest one that is."""
    near = get_close_matches(name.lower(), fields, 1)
    hint = f"did you mean {near[0]}?" if near else "docs/getting-started.md lists the settings."
    return f"{where} has no setting {name!r}; {hint}"


def unknown_variables(environ: Mapping[str, str], fields: Collection[str]) -> list[str]:
    """What to say of each variable with the prefix of Citemark that nothing reads, by name."""
    known = {PREFIX + field.upper() for field in fields}
    said: list[str] = []
    for name in sorted(environ):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper in known | _READ_ELSEWHERE or _OF_A_CLUSTER.fullmatch(upper):
            continue
        near = get_close_matches(upper, known, 1)
        hint = f"did you mean {near[0]}?" if near else "docs/getting-started.md lists the settings."
        said.append(f"no setting is called {name}; {hint}")
    return said
