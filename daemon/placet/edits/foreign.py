"""Lines in no encoding that Placet edits, made visible: to be looked at with a label, never to be written back."""

import re
from collections.abc import Sequence

# One whole character of two to four bytes (RFC 3629, section 4, without its finer points).
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_ONLY_IN_WINDOWS_1252 = re.compile(rb"[\x80-\x9f]")


def show_lines(lines: Sequence[bytes]) -> tuple[list[str], str]:
    r"""The lines as text, and in words how they were read.

    Where they hold no character of UTF-8, single bytes are taken for Latin-1, or Windows-1252 where it alone has
    characters for them; else each byte that is not UTF-8 is shown as `\xNN`, as is a NUL.
    """
    data = b"\n".join(lines)
    encoding, errors, label = _reading(data)
    text = data.decode(encoding, errors).replace("\0", "\\x00")
    return text.split("\n") if lines else [], label


def without_cut_character(data: bytes, cut_at: int) -> bytes:
    """A line without the beginning of a UTF-8 character at its end, if it is so long that it was cut there."""
    if len(data) < cut_at:
        return data
    end = len(data)
    while end > 0 and len(data) - end < 3 and data[end - 1] & 0xC0 == 0x80:
        end -= 1
    return data[: end - 1] if end > 0 and data[end - 1] >= 0xC0 else data


def _reading(data: bytes) -> tuple[str, str, str]:
    """Encoding, error handling, and the words for it."""
    try:
        data.decode()
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8", "strict", "UTF-8"
    if not _MULTIBYTE.search(data):
        if not _ONLY_IN_WINDOWS_1252.search(data):
            return "latin-1", "strict", "Latin-1, which is a guess"
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            pass
        else:
            return "cp1252", "strict", "Windows-1252, which is a guess"
    return "utf-8", "backslashreplace", r"UTF-8, with each byte that does not belong there as `\xNN`"
