"""The SDK's codec for the state that a call carries between rounds, with the interface `answering.state` expects."""


class RequestStateCodec:
    """AES-256-GCM with a key derived from 32 secret bytes.

    The SDK's codec and cryptography are not imported before the first codec is made: CLI commands and most calls never
    need one.
    """

    def __init__(self, key: bytes) -> None:
        from mcp.server.request_state import AESGCMRequestStateCodec  # noqa: PLC0415 - see the class

        self._codec = AESGCMRequestStateCodec([key])

    def seal(self, payload: bytes) -> str:
        """A token that cannot be read or changed without the key."""
        return self._codec.seal(payload)

    def unseal(self, token: str) -> bytes | None:
        """The payload of a token, or None if it was not sealed with this key or has been changed."""
        from mcp.server.request_state import InvalidRequestState  # noqa: PLC0415 - see the class

        try:
            return self._codec.unseal(token)
        except InvalidRequestState:
            return None
