"""What people do with files and folders."""

from tests.nextcloud.actions.base import Actions, Turn
from tests.nextcloud.files.nodes import Place
from tests.nextcloud.files.tree import Missing

_FOLDERS = ("/Docs", "/Docs/Deep/er", "/Bücher & Texte", "/100% sure? #1")


def _places(turn: Turn) -> list[Place]:
    tree = turn.world.files.tree
    everything = tree.walk(tree.locate(turn.user, "/"))
    return [place for place in everything if place.path != "/" and not place.path.startswith("/Notes")]


def _files(turn: Turn) -> list[Place]:
    return [place for place in _places(turn) if not place.node.is_folder]


def _own(turn: Turn, *, folders: bool) -> list[Place]:
    return [place for place in _places(turn) if place.share is None and place.node.is_folder == folders]


def put(turn: Turn) -> bool:
    turn.world.files.put(turn.user, f"{turn.another(_FOLDERS)}/{turn.title()}.md", turn.text())
    return True


def edit(turn: Turn) -> bool:
    place = turn.one([one for one in _files(turn) if one.may_write])
    if place is not None:
        turn.world.files.put(turn.user, place.path, turn.text(), 1700000000 if turn.other % 3 == 0 else None)
    return place is not None


def rewrite(turn: Turn) -> bool:
    """The same bytes again: a new etag for the same text."""
    place = turn.one([one for one in _files(turn) if one.may_write])
    if place is not None and place.node.content is not None:
        turn.world.files.put(turn.user, place.path, place.node.content)
    return place is not None


def rename(turn: Turn) -> bool:
    place = turn.one(_own(turn, folders=False))
    if place is not None:
        for share in turn.world.files.tree.shares_of(place.node):
            turn.world.files.unshare(share.id)
        turn.world.files.folder(turn.user, turn.another(_FOLDERS))
        turn.world.files.move(turn.user, place.path, f"{turn.another(_FOLDERS)}/{turn.title()}.md")
    return place is not None


def move_folder(turn: Turn) -> bool:
    """A folder with all that is in it: nothing below it changes its etag."""
    place = turn.one(_own(turn, folders=True))
    if place is not None:
        turn.world.files.move(turn.user, place.path, f"/Folder {turn.marks.number()}")
    return place is not None


def copy(turn: Turn) -> bool:
    place = turn.one(_own(turn, folders=False))
    if place is not None:
        turn.world.files.copy(turn.user, place.path, f"/Copy {turn.marks.new()}.md")
    return place is not None


def delete(turn: Turn) -> bool:
    place = turn.one(_own(turn, folders=turn.other % 3 == 0))
    if place is not None:
        turn.world.files.delete(turn.user, place.path)
    return place is not None


def restore(turn: Turn) -> bool:
    trashed = turn.one(turn.world.files.trash[turn.user])
    if trashed is not None:
        turn.world.files.restore(turn.user, trashed.name)
    return trashed is not None


def share(turn: Turn) -> bool:
    place = turn.one(_own(turn, folders=turn.other % 2 == 0))
    tree = turn.world.files.tree
    if place is None or any(one.sharee == turn.friend for node in place.node.upwards() for one in tree.shares_of(node)):
        return False
    if any(one.sharee == turn.friend for node in place.node.downwards() for one in tree.shares_of(node)):
        return False
    turn.world.files.share(turn.user, place.path, turn.friend, 15 if turn.other % 3 else 1)
    return True


def unshare(turn: Turn) -> bool:
    shares = [one for one in turn.world.files.tree.shares.values() if turn.user in {one.owner, one.sharee}]
    share = turn.one(shares)
    if share is not None:
        turn.world.files.unshare(share.id)
    return share is not None


def take_out(turn: Turn) -> bool:
    """A sharee moves a file out of a shared folder: the same id, gone for its owner."""
    inside = [one for one in _files(turn) if one.share is not None and not one.is_mount and one.rights & 8]
    place = turn.one(inside)
    if place is not None:
        turn.world.files.move(turn.user, place.path, f"/Taken {turn.marks.new()}.md")
    return place is not None


def rename_share(turn: Turn) -> bool:
    """A sharee gives a share another name."""
    place = turn.one([one for one in _places(turn) if one.is_mount])
    if place is None:
        return False
    name = f"Mine {turn.marks.number()}" if place.node.is_folder else f"{turn.title()}.md"
    try:
        turn.world.files.move(turn.user, place.path, f"/{name}")
    except Missing:
        return False
    return True


FILES: Actions = {
    "file put": put,
    "file edit": edit,
    "file rewrite": rewrite,
    "file rename": rename,
    "folder move": move_folder,
    "file copy": copy,
    "file delete": delete,
    "file restore": restore,
    "file share": share,
    "file unshare": unshare,
    "file taken out": take_out,
    "share renamed": rename_share,
}
