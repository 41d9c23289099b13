"""Deck as one app of an account."""

from citemark.extraction.sandbox.pool import ParserPool
from citemark.sources.contract import ScanMemory
from citemark.sources.nextcloud.apps import Account, App
from citemark.sources.nextcloud.deck.api import DeckApi
from citemark.sources.nextcloud.deck.cards import CARD, size_of
from citemark.sources.nextcloud.deck.listing import BoardListing
from citemark.sources.nextcloud.deck.places import Places
from citemark.sources.nextcloud.deck.processor import DeckProcessor
from citemark.sources.nextcloud.deck.scanner import DeckScanner
from citemark.sources.nextcloud.deck.verifier import DeckVerifier
from citemark.sources.nextcloud.handover import Handover
from citemark.sources.nextcloud.http import Client


def deck_app(client: Client, account: Account, memory: ScanMemory, _parsers: ParserPool) -> App:
    """The cards that the account may see."""
    api, places, handover = DeckApi(client, account.limits), Places(memory), Handover(size_of)
    boards = BoardListing(api, places, handover)
    return App(
        name="deck",
        doc_types=frozenset({CARD}),
        scanner=DeckScanner(boards),
        processor=DeckProcessor(account.server, api, places, boards, handover),
        verifier=DeckVerifier(api, places, handover),
    )
