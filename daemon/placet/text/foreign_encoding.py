"""Lines in an encoding not edited by Placet, made visible: for reading with a label, never for writing back."""

import re
from collections.abc import Sequence

# One whole character of two to four bytes (RFC 3629, section 4, without its finer points).
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_ONLY_IN_WINDOWS_1252 = re.compile(rb"[\x80-\x9f]")


def show_lines(lines: Sequence[bytes]) -> tuple[list[str], str]:
    r"""Return the lines as text, and the reading in words.

    If the lines hold no multi-byte UTF-8 character, single bytes are taken for Latin-1, or for Windows-1252 where only
    Windows-1252 has characters for the bytes; otherwise each byte outside UTF-8 is shown as `\xNN`, and so is a NUL.
    """
    data = b"\n".join(lines)
    encoding, errors, label = _reading(data)
    text = data.decode(encoding, errors).replace("\0", "\\x00")
    return text.split("\n") if lines else [], label


def without_cut_character(data: bytes, cut_at: int) -> bytes:
    """Return the line without an incomplete UTF-8 character at the end, if the line is long enough to have been cut."""
    if len(data) < cut_at:
        return data
    end = len(data)
    while end > 0 and len(data) - end < 3 and data[end - 1] & 0xC0 == 0x80:
        end -= 1
    return data[: end - 1] if end > 0 and data[end - 1] >= 0xC0 else data


def _reading(data: bytes) -> tuple[str, str, str]:
    """Return the encoding, the error handling, and the label in words."""
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
