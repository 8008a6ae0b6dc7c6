"""Bytes to text and back without loss. Unclear bytes are refused, never replaced or guessed."""

import codecs
from typing import NamedTuple

from placet.core.errors import DocumentError

# UTF-32's little-endian mark begins with UTF-16's, so UTF-32 is looked for first.
_MARKS = (
    ("utf-8", codecs.BOM_UTF8),
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
)


class Undecodable(DocumentError):
    """Error: the bytes are not text, or text in an encoding not read by Placet."""


class Decoded(NamedTuple):
    """Text, with the encoding needed to write the text back unchanged. `text` holds no BOM; `bom` is true if the bytes
    had a BOM.
    """

    text: str
    encoding: str
    bom: bool


def decode(data: bytes, other: str | None = None) -> Decoded:
    """Decode UTF-8 with or without BOM, UTF-16 and UTF-32 with BOM. `encode(*decode(data)) == data`.

    What is not UTF-8 is decoded by `other`, an encoding of one byte for each character, if the project names one.
    Raises Undecodable for anything else and for text with NULs, naming the first offending byte.
    """
    encoding, mark = next(((name, mark) for name, mark in _MARKS if data.startswith(mark)), ("utf-8", b""))
    if encoding == "utf-8":
        _refuse_nul(data.find(b"\0"), data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        if other is not None and not mark:
            return Decoded(data.decode(other), other, False)
        raise Undecodable(_not_text(data, len(mark) + error.start, encoding)) from None
    if "\0" in text:
        raise Undecodable("The file is binary: its text holds NUL characters. Only text files can be read and edited.")
    return Decoded(text, encoding, bool(mark))


def encode(text: str, encoding: str, bom: bool) -> bytes:
    """Return the bytes of a text. Raises DocumentError for a character outside the encoding."""
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise DocumentError(
            f"The text cannot be written as {encoding}: line {line} holds U+{ord(text[error.start]):04X}. "
            "Leave that character out."
        ) from None
    mark = next((mark for name, mark in _MARKS if name == encoding), b"") if bom else b""
    return mark + data


def _refuse_nul(at: int, data: bytes) -> None:
    if at >= 0:
        raise Undecodable(
            f"The file is binary: byte {at} of {len(data)} is NUL. Only text files can be read and edited."
        )


def _not_text(data: bytes, at: int, encoding: str) -> str:
    where = f"byte {at} of {len(data)} (0x{data[at]:02x})" if at < len(data) else f"its end, byte {at}"
    line = f", line {data.count(bytes([10]), 0, at) + 1}," if encoding == "utf-8" else ""
    return (
        f"The file is not {encoding.upper()}: {where}{line} does not belong there. It is binary, or in another "
        "encoding. To edit it, convert it to UTF-8 (by iconv, for example) if the user agrees; a Latin-1 file can be "
        "edited where .editorconfig says `charset = latin1`."
    )
