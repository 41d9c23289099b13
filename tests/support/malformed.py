"""Messages that are not quite what a method takes, and how a server answers them."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Any

import grpc

_AT_A_TIME = 50
_SECONDS = 60


def mangled(chance: Random, good: bytes) -> bytes:
    """Noise, or a request with one bit changed, its end cut off, or a byte put in."""
    raw = bytearray(good)
    place = chance.randrange(len(raw)) if raw else 0
    match chance.randrange(4):
        case 1 if raw:
            raw[place] ^= 1 << chance.randrange(8)
        case 2 if raw:
            del raw[place:]
        case 3:
            raw.insert(place, chance.randrange(256))
        case _:
            return chance.randbytes(chance.randrange(60))
    return bytes(raw)


async def outcomes(
    channel: grpc.aio.Channel,
    requests: Sequence[tuple[str, bytes]],
    *,
    streams: frozenset[str] = frozenset(),
    metadata: tuple[tuple[str, str], ...] = (),
) -> list[tuple[grpc.StatusCode, str]]:
    """The status and message of each request to a path; `streams` are the paths that answer with several messages."""
    room = asyncio.Semaphore(_AT_A_TIME)

    async def one(path: str, raw: bytes) -> tuple[grpc.StatusCode, str]:
        try:
            async with room:
                if path in streams:
                    call: Any = channel.unary_stream(path)
                    async for _ in call(raw, metadata=metadata, timeout=_SECONDS):
                        pass
                else:
                    await channel.unary_unary(path)(raw, metadata=metadata, timeout=_SECONDS)
        except grpc.aio.AioRpcError as error:
            return error.code(), f"{error.details()} {error.trailing_metadata()}"
        return grpc.StatusCode.OK, ""

    return await asyncio.gather(*(one(path, raw) for path, raw in requests))
