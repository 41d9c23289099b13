"""Asks the running server of the index to carry a command out: then this process opens no index and loads no model."""

import json
import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from citemark import __version__
from citemark.folders import data_dir, default_data_dir, socket_file
from citemark.http_token import http_token, token_file
from citemark.model.errors import CitemarkError
from citemark.settings_files import settings_files, settings_print
from citemark.tools.bridge.local_http import FAILURES, LocalRequest

COMMAND_PATH = "/command"

_READY_SECONDS = 1.0
"""A server that does not say within this time that its index is open is not waited for: opening it here is as quick."""

_ANSWER_SECONDS = 120.0
"""Four times what a model may take for an answer by default; a server that takes longer hangs."""

_OK = 200


def server_answer(command: str, arguments: Mapping[str, Any], *, as_json: bool) -> Mapping[str, Any] | None:
    """What the server of this user's index answers, with the messages about settings under `told`.

    None if there is none, or it is of another version, has other settings, is not ready, or fails.
    """
    told: list[str] = []
    try:
        folder = _folder(told)
        if folder is None or not socket_file(folder).exists():
            return None
        asked = {
            "version": __version__,
            "settings": settings_print(os.environ, told.append),
            "command": command,
            "arguments": arguments,
            "json": as_json,
        }
        path, headers = socket_file(folder), _headers(folder)
        if _exchanged(LocalRequest(path, _READY_SECONDS), "GET", "/health/ready", headers) is None:
            return None
        body = json.dumps(asked).encode()
        answer = _exchanged(LocalRequest(path, _ANSWER_SECONDS), "POST", COMMAND_PATH, headers, body)
    except (CitemarkError, ValueError, *FAILURES):
        return None
    return None if answer is None else {**answer, "told": told}


def _folder(told: list[str]) -> Path | None:
    """The folder of the index; None if a settings file names it, which all settings have to be read for."""
    named = os.environ.get("CITEMARK_DATA_DIR")
    if named:
        return data_dir(Path(named))
    if any("data_dir" in file.values for file in settings_files(os.environ, told.append)):
        return None
    told.clear()  # they are told once, with the print of the settings
    return data_dir(default_data_dir())


def _headers(folder: Path) -> dict[str, str]:
    """Those of the owner; a server without a token needs none, and none is made for it."""
    if not token_file(folder).exists():
        return {}
    return {"Authorization": f"Bearer {http_token(folder)}", "Content-Type": "application/json"}


def _exchanged(
    request: LocalRequest, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
) -> Mapping[str, Any] | None:
    """The JSON object that a request is answered with; None unless its status is 200."""
    with closing(request):
        answer = request.ask(method, headers, body, path)
        content = json.loads(answer.read()) if answer.status == _OK else None
    return cast("dict[str, Any]", content) if isinstance(content, dict) else None
