"""`citemark bridge`: a host's messages go to the server of the index that runs; without one, this process serves."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from citemark.folders import data_dir, socket_file
from citemark.http_token import http_token
from citemark.model.errors import ConfigurationError
from citemark.tools.bridge.local_http import connected
from citemark.tools.bridge.relay import Relay


def serve_bridge(serve: Callable[[], int]) -> int:
    """Pass messages between stdin and stdout and the server of this index until stdin ends, or call `serve`."""
    try:
        folder = _folder()
        path = socket_file(folder)
        try:
            connected(path).close()
        except OSError:
            return serve()
        token = http_token(folder)
    except ConfigurationError as error:
        sys.stderr.write(f"citemark: {error.message}\n")
        return 2
    Relay(path, token, sys.stdin.buffer, sys.stdout.buffer).run()
    return 0


def _folder() -> Path:
    """The folder of the index. Hosts are told it in their entries; reading all settings takes several times as long."""
    told = os.environ.get("CITEMARK_DATA_DIR")
    if told:
        return data_dir(Path(told))
    from citemark.settings import load_settings  # noqa: PLC0415

    return data_dir(load_settings().data_dir)
