"""Pages of elements, relationships and views, and one of them with what belongs to it."""

from typing import TYPE_CHECKING

from citemark.features.archimate.results.model_parts import (
    ElementOut,
    ModelOut,
    RelationshipOut,
    ViewOut,
    element_out,
    relationship_out,
    view_out,
)
from citemark.results.common_parts import meta_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citemark.features.archimate.services.responses import LinkCard, PartCard, ViewPage
    from citemark.services.responses import ResponseMeta


class ListElementsOut(ModelOut):
    """Result of listElements."""

    elements: list[ElementOut]
    total: int


class GetElementOut(ModelOut):
    """Result of getElement."""

    element: ElementOut
    text: str
    relationships: list[RelationshipOut]
    views: list[ViewOut]


class ListRelationshipsOut(ModelOut):
    """Result of listRelationships."""

    relationships: list[RelationshipOut]


class GetViewOut(ModelOut):
    """Result of getView; `views` is the one asked for, or a page of all."""

    views: list[ViewOut]
    text: str
    elements: list[ElementOut]
    relationships: list[RelationshipOut]
    total: int


def elements_out(parts: "Sequence[PartCard]", total: int, meta: "ResponseMeta") -> ListElementsOut:
    """Some of `total` elements as a result."""
    return ListElementsOut(elements=[element_out(card) for card in parts], total=total, **meta_fields(meta))


def element_page_out(
    card: "PartCard", text: str, links: "Sequence[LinkCard]", views: "Sequence[PartCard]", meta: "ResponseMeta"
) -> GetElementOut:
    """An element with its text, its relationships and the views that show it, as a result."""
    return GetElementOut(
        element=element_out(card),
        text=text,
        relationships=[relationship_out(link) for link in links],
        views=[view_out(view) for view in views],
        **meta_fields(meta),
    )


def relationships_out(links: "Sequence[LinkCard]", meta: "ResponseMeta") -> ListRelationshipsOut:
    """Relationships as a result."""
    return ListRelationshipsOut(relationships=[relationship_out(card) for card in links], **meta_fields(meta))


def view_page_out(
    page: "ViewPage", text: str, elements: "Sequence[PartCard]", links: "Sequence[LinkCard]", meta: "ResponseMeta"
) -> GetViewOut:
    """A view with its text and with some of the `total` parts that it shows, as a result."""
    return GetViewOut(
        views=[view_out(page.card)],
        text=text,
        elements=[element_out(card) for card in elements],
        relationships=[relationship_out(card) for card in links],
        total=page.total,
        **meta_fields(meta),
    )


def views_out(views: "Sequence[PartCard]", total: int, meta: "ResponseMeta") -> GetViewOut:
    """Some of `total` views as a result."""
    listed = [view_out(card) for card in views]
    return GetViewOut(views=listed, text="", elements=[], relationships=[], total=total, **meta_fields(meta))
