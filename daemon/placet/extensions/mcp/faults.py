"""What goes wrong with servers. All of it is the world's doing: a call is told, and the user sees it in a list."""

from placet.errors import ToolError


class Failed(ToolError):
    """The server answered with an error, or with what is no answer; `code` is JSON-RPC's, 0 where there is none."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message[:4000])
        self.code = code


class Gone(ToolError):
    """There is no connection to the server, or no more."""


class NeedsSignIn(Gone):
    """The server serves only who has signed in."""
