"""Errors of servers. Every error is outside Placet: the call gets the text, and the user sees the error in a list."""

from placet.core.errors import ToolError

MOST_CHARACTERS = 300
"""Limit for a server's text about a failure, where Placet shows the text to the user."""


def sign_in_needed(error: BaseException) -> "NeedsSignIn | None":
    """Return the NeedsSignIn behind the error, however deep in groups and causes, or None."""
    if isinstance(error, NeedsSignIn):
        return error
    below = [error.__cause__ or error.__context__]
    if isinstance(error, BaseExceptionGroup):
        below += error.exceptions
    return next(
        (needed for cause in below if cause is not None and (needed := sign_in_needed(cause)) is not None), None
    )


def in_one_line(text: str) -> str:
    """Return a text from outside as one short line without control characters, fit to show to the user."""
    line = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(line.split())[:MOST_CHARACTERS]


class Failed(ToolError):
    """Error or invalid answer from the server; `code` is JSON-RPC's, 0 where no code was given."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message[:4000])
        self.code = code


class Gone(ToolError):
    """Error for a server without a connection, or with a lost connection."""


class NeedsSignIn(Gone):
    """Error of a server that serves only users who have signed in."""


class NeedsInput(Gone):
    """Error of a server that starts only with values from the user."""
