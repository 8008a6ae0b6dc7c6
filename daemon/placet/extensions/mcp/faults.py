"""What goes wrong with servers. All of it is the world's doing: a call is told, and the user sees it in a list."""

from placet.errors import ToolError

MOST_CHARACTERS = 300
"""Of what a server says of a failure, where the user is told of it."""


def sign_in_needed(error: BaseException) -> "NeedsSignIn | None":
    """Whether it comes down to that, however deep in groups and causes."""
    if isinstance(error, NeedsSignIn):
        return error
    below = [error.__cause__ or error.__context__]
    if isinstance(error, BaseExceptionGroup):
        below += error.exceptions
    return next((found for one in below if one is not None and (found := sign_in_needed(one)) is not None), None)


def in_one_line(text: str) -> str:
    """A text from outside as one short line without control characters, which the user can be shown."""
    line = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(line.split())[:MOST_CHARACTERS]


class Failed(ToolError):
    """The server answered with an error, or with what is no answer; `code` is JSON-RPC's, 0 where there is none."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message[:4000])
        self.code = code


class Gone(ToolError):
    """There is no connection to the server, or no more."""


class NeedsSignIn(Gone):
    """The server serves only who has signed in."""
