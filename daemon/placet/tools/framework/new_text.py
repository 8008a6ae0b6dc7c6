"""Texts of a model that no file could keep as the model means them."""

from placet.core.errors import EditError
from placet.text.lines import own_line_ending


def refuse_bare_cr(name: str, text: str, *, is_whole: bool = False) -> None:
    """Raise EditError for a carriage return beside CR LF, which would silently become a line end.

    In the text of a whole new file (`is_whole`) all lines may end with a carriage return.
    """
    if text.count("\r") > text.count("\r\n") and not (is_whole and own_line_ending(text) == "\r"):
        raise EditError(
            f"{name} holds a carriage return that is no part of a line end \\r\\n. Nothing was changed. Write \\n for "
            "a new line; for the character itself write the language's escape, or make the file by a command."
        )
