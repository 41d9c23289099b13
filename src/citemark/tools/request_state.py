"""The SDK's codec for what a call must remember between two rounds, in the shape that `answering.state` takes."""


class RequestStateCodec:
    """AES-256-GCM with a key derived from 32 secret bytes.

    The SDK and cryptography are loaded with the first state: commands and most calls never need one.
    """

    def __init__(self, key: bytes) -> None:
        from mcp.server.request_state import AESGCMRequestStateCodec  # noqa: PLC0415 - see the class

        self._codec = AESGCMRequestStateCodec([key])

    def seal(self, payload: bytes) -> str:
        """A token that nobody without the key can read or change."""
        return self._codec.seal(payload)

    def unseal(self, token: str) -> bytes | None:
        """The payload of a token; None if it was not sealed with this key, or was changed."""
        from mcp.server.request_state import InvalidRequestState  # noqa: PLC0415 - see the class

        try:
            return self._codec.unseal(token)
        except InvalidRequestState:
            return None
