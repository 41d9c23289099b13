"""The Notes API, versions 0.2 and 1."""

from collections.abc import Collection
from typing import Any

from tests.nextcloud.files.tree import Denied, Missing
from tests.nextcloud.messages import ServerRequest, ServerResponse, json_answer, not_modified, same_etag
from tests.nextcloud.notes.listing import excluded, list_notes
from tests.nextcloud.notes.notebook import Notebook, NotWritable
from tests.nextcloud.versions import Version


def serve(notebook: Notebook, ask: ServerRequest, version: Version) -> ServerResponse:
    """Answer a request below `/apps/notes/api/`; every answer names the versions."""
    answer = _answer(notebook, ask, {"v1", *(f"v{each}" for each in version.notes_apis)})
    answer.headers["x-notes-api-versions"] = ", ".join(version.notes_apis)
    return answer


def _answer(notebook: Notebook, ask: ServerRequest, known: Collection[str]) -> ServerResponse:
    match ask.words[3:]:
        case [version, *_] if version not in known:
            return json_answer([], 400)
        case [_, "settings"] if ask.method == "GET":
            return json_answer({"notesPath": "Notes", "fileSuffix": ".md", "noteMode": "edit"})
        case [_, "notes"] if ask.method == "GET":
            return list_notes(notebook, ask)
        case [_, "notes"] if ask.method == "POST":
            return _create(notebook, ask)
        case [_, "notes", number]:
            return _one(notebook, ask, int(number)) if number.isdecimal() else json_answer([], 400)
        case _:
            return json_answer([], 404)


def _one(notebook: Notebook, ask: ServerRequest, number: int) -> ServerResponse:
    try:
        match ask.method:
            case "GET":
                return _read(notebook, ask, number)
            case "PUT":
                return _update(notebook, ask, number)
            case "DELETE":
                notebook.delete(ask.user, number)
                return json_answer([])
            case _:
                return json_answer([], 405)
    except Missing:
        return _error("NoteDoesNotExistException", 404)
    except (NotWritable, Denied):
        return _error("NoteNotWritableException", 403)


def _error(kind: str, status: int) -> ServerResponse:
    return json_answer({"errorType": f"OCA\\Notes\\Service\\{kind}"}, status)


def _read(notebook: Notebook, ask: ServerRequest, number: int) -> ServerResponse:
    fields = notebook.data(notebook.place(ask.user, number))
    kept = {name: value for name, value in fields.items() if name not in excluded(ask)}
    answer = json_answer(kept, headers={"etag": f'"{fields["etag"]}"'})
    return not_modified(answer) if same_etag(ask, fields["etag"]) else answer


def _update(notebook: Notebook, ask: ServerRequest, number: int) -> ServerResponse:
    fields = notebook.data(notebook.place(ask.user, number))
    expected = ask.header("if-match")
    if expected is not None and expected.strip('"') != fields["etag"]:
        return json_answer(fields, 412)
    wanted = ask.fields()
    notebook.edit(
        ask.user,
        number,
        content=wanted.get("content"),
        title=wanted.get("title"),
        category=wanted.get("category"),
        modified=wanted.get("modified"),
        favourite=wanted.get("favorite"),
    )
    return json_answer(notebook.data(notebook.place(ask.user, number)))


def _create(notebook: Notebook, ask: ServerRequest) -> ServerResponse:
    wanted: dict[str, Any] = ask.fields()
    number = notebook.add(
        ask.user,
        wanted.get("title", ""),
        wanted.get("content", ""),
        wanted.get("category", ""),
        wanted.get("modified"),
    )
    if wanted.get("favorite"):
        notebook.edit(ask.user, number, favourite=True)
    return json_answer(notebook.data(notebook.place(ask.user, number)))
