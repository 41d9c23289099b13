"""Boards, stacks and cards as Deck's API shows them."""

import hashlib
from typing import Any

from tests.nextcloud.deck.controls import iso
from tests.nextcloud.deck.model import Acl, Attachment, Board, Card, Comment, Label, Stack
from tests.nextcloud.files.properties import mime_type

Json = dict[str, Any]
_RIGHTS = ("PERMISSION_READ", "PERMISSION_EDIT", "PERMISSION_MANAGE", "PERMISSION_SHARE")


def etag_of(last_modified: int) -> str:
    """Deck's etag: of a time in whole seconds and of nothing else."""
    return hashlib.md5(str(last_modified).encode(), usedforsecurity=False).hexdigest()


class Shown:
    """Writes what one user may see; `people` are the names of all users."""

    def __init__(self, people: dict[str, str]) -> None:
        self.people = people

    def person(self, user: str) -> Json:
        return {"primaryKey": user, "uid": user, "displayname": self.people[user], "type": 0}

    def board(self, board: Board, user: str, *, listed: bool, details: bool = True) -> Json:
        """A board in the list of boards (without its labels and users) or by itself."""
        fields: Json = {
            "id": board.id,
            "title": board.title,
            "owner": self.person(board.owner),
            "color": board.color,
            "archived": board.archived,
            "labels": [self.label(one, None) for one in board.labels.values()] if details else [],
            "acl": [self.acl(board, one) for one in board.acl.values()],
            "permissions": dict(zip(_RIGHTS, board.rights(user), strict=True)),
            "users": [self.person(one) for one in self._members(board)] if details else [],
        }
        if listed:
            fields["shared"] = int(board.owner != user)
        return fields | {
            "stacks": [],
            "activeSessions": [],
            "deletedAt": board.deleted,
            "lastModified": board.last_modified,
            "settings": [],
            "ETag": etag_of(board.last_modified),
        }

    def _members(self, board: Board) -> list[str]:
        return [board.owner, *(one.user for one in board.acl.values())]

    def acl(self, board: Board, entry: Acl) -> Json:
        return {
            "id": entry.id,
            "participant": self.person(entry.user),
            "type": 0,
            "boardId": board.id,
            "permissionEdit": entry.edit,
            "permissionShare": entry.share,
            "permissionManage": entry.manage,
            "owner": False,
        }

    def label(self, label: Label, card: int | None) -> Json:
        return {
            "id": label.id,
            "title": label.title,
            "color": label.color,
            "boardId": label.board,
            "cardId": card,
            "lastModified": 0,
            "ETag": etag_of(0),
        }

    def stack(self, stack: Stack, cards: list[Card], *, archived: bool = False) -> Json:
        """A stack with cards; the list of archived ones tells less of each."""
        rows = [self.card(card) for card in sorted(cards, key=lambda one: (one.order, one.id))]
        if archived:
            rows = [row | {"assignedUsers": None, "commentsCount": 0} for row in rows]
        return {
            "id": stack.id,
            "title": stack.title,
            "boardId": stack.board.id,
            "deletedAt": stack.deleted,
            "lastModified": stack.last_modified,
            "cards": rows,
            "order": stack.order,
            "ETag": etag_of(stack.last_modified),
        }

    def card(self, card: Card, *, alone: bool = False) -> Json:
        """A card in its stack, or by itself with the list of its attachments."""
        labels = card.stack.board.labels
        return {
            "id": card.id,
            "title": card.title,
            "description": card.description,
            "stackId": card.stack.id,
            "type": "plain",
            "lastModified": card.last_modified,
            "lastEditor": card.editor,
            "createdAt": card.created,
            "labels": [self.label(labels[one], card.id) for one in card.labels if one in labels],
            "assignedUsers": [
                {"id": number, "participant": self.person(user), "cardId": card.id, "type": 0}
                for user, number in card.assigned.items()
            ],
            "attachments": [self.attachment(card, one) for one in card.attachments if one.file_id is None]
            if alone
            else None,
            "attachmentCount": sum(not one.deleted for one in card.attachments),
            "owner": self.person(card.owner),
            "order": card.order,
            "archived": card.archived,
            "done": card.done,
            "duedate": card.duedate,
            "deletedAt": card.deleted,
            "commentsUnread": 0,
            "commentsCount": len(card.comments),
            "ETag": etag_of(card.last_modified),
            "overdue": 0,
        }

    def attachment(self, card: Card, attachment: Attachment) -> Json:
        about: Json = {"filesize": len(attachment.content), "mimetype": mime_type(attachment.name)}
        stem, _, ending = attachment.name.rpartition(".")
        about["info"] = {"dirname": ".", "basename": attachment.name, "extension": ending, "filename": stem}
        if attachment.file_id is not None:
            about |= {"fileid": attachment.file_id, "path": f"/{attachment.name}"}
        return {
            "id": attachment.id,
            "cardId": card.id,
            "type": "deck_file" if attachment.file_id is None else "file",
            "data": attachment.name,
            "lastModified": attachment.created,
            "createdAt": attachment.created,
            "createdBy": attachment.by,
            "deletedAt": attachment.deleted,
            "extendedData": about,
        }

    def comment(self, card: Card, comment: Comment) -> Json:
        return {
            "id": comment.id,
            "objectId": card.id,
            "message": comment.message,
            "actorId": comment.author,
            "actorType": "users",
            "actorDisplayName": self.people[comment.author],
            "creationDateTime": iso(comment.created),
            "mentions": [],
        }
