"""The editor at the other end of the wire, as the rest of the LSP front end sees the editor."""

from typing import Any, Protocol

from placet.frontends.lsp.connection.profile import Profile


class EditorError(Exception):
    """The editor answered a request with an error; `code` is JSON-RPC's."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"The editor answered with error {code}: {message}")
        self.code = code
        self.message = message


class EditorGone(Exception):
    """The connection to the editor is lost; open and later requests get no answer."""


class EditorClient(Protocol):
    """Messages to the editor.

    The params and the results of LSP's own methods are types of lsprotocol, those of `editor/*` and `agent/*` and of
    `workspace/applyEdit` JSON with wire names.
    """

    @property
    def profile(self) -> Profile: ...

    async def request(self, method: str, params: Any, *, timeout_seconds: float | None = None) -> Any:
        """Ask and wait for the result. When cancelled or out of time the editor is told by `$/cancelRequest`.

        Raises EditorError for an error answer, EditorGone when the connection is or gets lost, and TimeoutError.
        """
        ...

    def notify(self, method: str, params: Any) -> None:
        """Send a notification and go on. Never blocks and never raises: undelivered messages are lost with the
        connection.
        """
        ...
