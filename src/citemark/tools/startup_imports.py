"""Keep what a server never uses out of its start: the SDK's client, HTTP client and high-level server, and rich.

`import mcp.server.lowlevel` runs `mcp/__init__`, which imports all of them, and structlog imports rich for colours that
our logs do not have. No lazy import of ours avoids that, so these packages are replaced in `sys.modules` until
something asks for them. Measured up to the answer to tools/list: 0.84 s of processor time with this module, 1.08 s
without (medians of 10 pairs), and the list is to be there within a second. It can go once the SDK's `__init__` imports
lazily itself.
"""

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

_PACKAGES = ("mcp", "mcp.server")
"""Packages whose `__init__` imports more than the lowlevel server needs."""


class _Deferred(ModuleType):
    """A package whose `__init__` runs on the first access to a name that its submodules did not set."""

    def __getattr__(self, name: str) -> Any:
        super().__setattr__("__class__", ModuleType)
        if self.__spec__ is not None and self.__spec__.loader is not None:
            self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def import_structlog_without_rich() -> None:
    """Import structlog without rich, which it would use to colour tracebacks; our logs are plain lines."""
    if "structlog" in sys.modules or "rich" in sys.modules:
        return
    sys.modules["rich"] = None  # type: ignore[assignment] - makes `import rich` fail
    try:
        import_module("structlog")
    finally:
        del sys.modules["rich"]


def defer_sdk_packages() -> None:
    """Let `mcp.server.lowlevel` be imported without `mcp.client` and `mcp.server.mcpserver`.

    Nothing is lost: the first use of a name that only the package's `__init__` provides runs it. Call this before
    the first import of `mcp`; later it does nothing.
    """
    for name in _PACKAGES:
        if name in sys.modules:
            continue
        spec = find_spec(name)
        if spec is None or spec.loader is None:
            return
        module = module_from_spec(spec)
        module.__class__ = _Deferred
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
