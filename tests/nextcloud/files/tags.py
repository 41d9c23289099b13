"""Collaborative tags: made once for the server, put on files by anyone who sees them."""

from tests.nextcloud import xml
from tests.nextcloud.files.controls import Files
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.xml import DAV, OC, Prop, Row


def serve_tags(files: Files, ask: ServerRequest) -> ServerResponse:  # noqa: PLR0911 - one line per route
    """Answer below `systemtags` and `systemtags-relations`; changing relations changes no etag."""
    match (ask.method, *ask.words[2:]):
        case ("PROPFIND", "systemtags"):
            return _rows(files, ask, "/remote.php/dav/systemtags", sorted(files.tags.names))
        case ("PROPFIND", "systemtags-relations", "files", number):
            place = files.tree.place_of(ask.user, int(number))
            if place is None:
                return xml.error(404, "NotFound", f"Element with id {number} not found")
            return _rows(files, ask, f"/remote.php/dav/systemtags-relations/files/{number}", sorted(place.node.tags))
        case ("PUT" | "DELETE" as method, "systemtags-relations", "files", number, tag):
            place = files.tree.place_of(ask.user, int(number))
            if place is None or int(tag) not in files.tags.names:
                return xml.error(404, "NotFound", f"Tag with id {tag} not found")
            if method == "PUT":
                place.node.tags.add(int(tag))
                return ServerResponse(201)
            place.node.tags.discard(int(tag))
            return ServerResponse(204)
        case _:
            return xml.error(405, "MethodNotAllowed")


def _rows(files: Files, ask: ServerRequest, root: str, numbers: list[int]) -> ServerResponse:
    wanted = xml.asked_props(xml.parse(ask.body)) or [(OC, "id"), (OC, "display-name")]

    def row(number: int) -> Row:
        values: dict[Prop, str] = {
            (DAV, "resourcetype"): "",
            (OC, "id"): str(number),
            (OC, "display-name"): xml.escape(files.tags.names[number]),
            (OC, "user-visible"): "true",
            (OC, "user-assignable"): "true",
            (OC, "can-assign"): "true",
        }
        return Row(f"{root}/{number}", values.get)

    return xml.multistatus([Row(f"{root}/"), *(row(number) for number in numbers)], wanted)
