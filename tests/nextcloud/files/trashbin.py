"""The trash bin of files by WebDAV."""

from urllib.parse import unquote

from tests.nextcloud import xml
from tests.nextcloud.files.controls import Files, Trashed
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.xml import NC, OC, Prop, Row


def serve_trash(files: Files, ask: ServerRequest) -> ServerResponse:
    """Answer below `/remote.php/dav/trashbin/USER/trash`."""
    words = ask.words[3:]
    if not words or words[0] != ask.user:
        return xml.error(404, "NotFound", "Node with that name could not be found")
    root = f"/remote.php/dav/trashbin/{ask.user}/trash"
    if ask.method == "PROPFIND" and words[1:] == ["trash"]:
        wanted = xml.asked_props(xml.parse(ask.body)) or [(OC, "fileid")]
        return xml.multistatus([Row(f"{root}/"), *(_row(root, one) for one in files.trash[ask.user])], wanted)
    trashed = next((one for one in files.trash[ask.user] if one.name == words[-1]), None)
    if trashed is None:
        return xml.error(404, "NotFound", f"{unquote(words[-1])} not found")
    if ask.method == "MOVE" and "/restore" in (ask.header("destination") or ""):
        files.restore(ask.user, trashed.name)
        return ServerResponse(201, {"content-type": "text/html; charset=UTF-8"})
    if ask.method == "DELETE":
        files.trash[ask.user].remove(trashed)
        return ServerResponse(204, {"content-type": "text/html; charset=UTF-8"})
    return xml.error(405, "MethodNotAllowed")


def _row(root: str, trashed: Trashed) -> Row:
    values: dict[Prop, str] = {
        (OC, "fileid"): str(trashed.node.id),
        (NC, "trashbin-original-location"): xml.escape(trashed.path.strip("/")),
        (NC, "trashbin-deletion-time"): str(trashed.deleted),
        (NC, "trashbin-filename"): xml.escape(trashed.node.name),
    }
    return Row(xml.encoded(f"{root}/{trashed.name}"), values.get)
