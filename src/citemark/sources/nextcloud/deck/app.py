"""Deck as one app of an account."""

from citemark.extraction.sandbox.pool import ParserPool
from citemark.sources.contract import ScanState
from citemark.sources.nextcloud.apps import Account, App
from citemark.sources.nextcloud.deck.api import DeckApi
from citemark.sources.nextcloud.deck.board_cache import BoardCache
from citemark.sources.nextcloud.deck.cards import CARD, characters_of
from citemark.sources.nextcloud.deck.listing import BoardListing
from citemark.sources.nextcloud.deck.processor import DeckProcessor
from citemark.sources.nextcloud.deck.scanner import DeckScanner
from citemark.sources.nextcloud.deck.verifier import DeckVerifier
from citemark.sources.nextcloud.http import Client
from citemark.sources.nextcloud.prefetch_cache import PrefetchCache


def deck_app(client: Client, account: Account, scan_state: ScanState, _parsers: ParserPool) -> App:
    """The cards that the account may see."""
    api, board_cache, prefetched = DeckApi(client, account.limits), BoardCache(scan_state), PrefetchCache(characters_of)
    boards = BoardListing(api, board_cache, prefetched)
    return App(
        name="deck",
        doc_types=frozenset({CARD}),
        scanner=DeckScanner(boards),
        processor=DeckProcessor(account.server, api, board_cache, boards, prefetched),
        verifier=DeckVerifier(api, board_cache, prefetched),
    )
