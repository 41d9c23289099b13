"""The sharing API: list, make and take shares of one's own."""

from typing import Any
from urllib.parse import parse_qsl

from tests.nextcloud.files.controls import Files
from tests.nextcloud.files.nodes import Share
from tests.nextcloud.files.properties import mime_type
from tests.nextcloud.files.tree import Missing
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.ocs.envelope import bad, good


def serve_shares(files: Files, ask: ServerRequest) -> ServerResponse | None:
    """Answer below `/apps/files_sharing/api/v1/shares`."""
    if ask.words[2:6] != ["apps", "files_sharing", "api", "v1"]:
        return None
    match (ask.method, *ask.words[6:]):
        case ("GET", "shares"):
            return _list(files, ask)
        case ("POST", "shares"):
            return _make(files, ask)
        case ("DELETE", "shares", number) if number.isdecimal():
            share = files.tree.shares.get(int(number))
            if share is None or ask.user not in {share.owner, share.sharee}:
                return bad(ask, 404, "Wrong share ID, share does not exist")
            files.unshare(share.id)
            return good(ask, [])
        case _:
            return None


def _list(files: Files, ask: ServerRequest) -> ServerResponse:
    mine = "sharee" if ask.query.get("shared_with_me") == "true" else "owner"
    return good(ask, [_shown(files, one) for one in files.tree.shares.values() if getattr(one, mine) == ask.user])


def _make(files: Files, ask: ServerRequest) -> ServerResponse:
    wanted = dict(ask.query) | dict(parse_qsl(ask.body.decode()))
    try:
        share = files.share(ask.user, wanted["path"], wanted["shareWith"], int(wanted.get("permissions", "15")))
    except (KeyError, Missing):
        return bad(ask, 404, "Wrong path, file/folder does not exist")
    return good(ask, _shown(files, share))


def _shown(files: Files, share: Share) -> dict[str, Any]:
    place = files.tree.place_of(share.owner, share.node.id)
    target = files.tree.place_of(share.sharee, share.node.id)
    people = files.people
    return {
        "id": str(share.id),
        "share_type": 0,
        "uid_owner": share.owner,
        "displayname_owner": people[share.owner],
        "permissions": share.permissions,
        "can_edit": True,
        "can_delete": True,
        "stime": share.stime,
        "parent": None,
        "expiration": None,
        "token": None,
        "uid_file_owner": share.node.owner,
        "note": "",
        "label": None,
        "displayname_file_owner": people[share.node.owner],
        "path": place.path if place else "",
        "item_type": "folder" if share.node.is_folder else "file",
        "item_permissions": 31 if share.node.is_folder else 27,
        "mimetype": "httpd/unix-directory" if share.node.is_folder else mime_type(share.node.name),
        "has_preview": False,
        "storage_id": f"home::{share.node.owner}",
        "storage": 3,
        "item_source": share.node.id,
        "file_source": share.node.id,
        "file_parent": share.node.parent.id if share.node.parent else 0,
        "file_target": target.path if target else "",
        "item_size": share.node.size(),
        "item_mtime": share.node.mtime,
        "share_with": share.sharee,
        "share_with_displayname": people[share.sharee],
        "mail_send": 0,
        "hide_download": 0,
    }
