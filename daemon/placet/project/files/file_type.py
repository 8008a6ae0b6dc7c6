"""Kind of a file by the file's first bytes: text, an image or PDF for a model to look at, or another binary."""

from dataclasses import dataclass
from pathlib import Path

from placet.core.regular_files import open_without_waiting

HEAD_BYTES = 4096
_MOST_CONTROLS = 0.3

_TEXT_CONTROLS = frozenset(b"\b\t\n\v\f\r\x1b")


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    """Kind in words: `a PNG image`."""
    mime: str = ""
    """MIME type of a file for attachment to a conversation, else empty."""


# (offset, bytes, kind), the more telling signatures first.
_SIGNATURES = (
    (0, b"\x89PNG\r\n\x1a\n", Kind("a PNG image", "image/png")),
    (0, b"\xff\xd8\xff", Kind("a JPEG image", "image/jpeg")),
    (0, b"GIF87a", Kind("a GIF image", "image/gif")),
    (0, b"GIF89a", Kind("a GIF image", "image/gif")),
    (8, b"WEBP", Kind("a WebP image", "image/webp")),
    (0, b"%PDF-", Kind("a PDF document", "application/pdf")),
    (0, b"SQLite format 3\0", Kind("an SQLite database")),
    (0, b"\x7fELF", Kind("an ELF program or library")),
    (0, b"PK\x03\x04", Kind("a ZIP archive (also the form of .jar, .docx, .xlsx, .odt and wheels)")),
    (0, b"PK\x05\x06", Kind("an empty ZIP archive")),
    (0, b"\x1f\x8b", Kind("data compressed by gzip")),
    (0, b"\xfd7zXZ\0", Kind("data compressed by xz")),
    (0, b"\x28\xb5\x2f\xfd", Kind("data compressed by zstd")),
    (0, b"7z\xbc\xaf\x27\x1c", Kind("a 7z archive")),
    (0, b"Rar!\x1a\x07", Kind("a RAR archive")),
    (257, b"ustar", Kind("a tar archive")),
    (0, b"!<arch>\n", Kind("a static library (ar archive)")),
    (0, b"\xca\xfe\xba\xbe", Kind("a Java class or a Mach-O program")),
    (0, b"\xcf\xfa\xed\xfe", Kind("a Mach-O program or library")),
    (0, b"\0asm", Kind("a WebAssembly module")),
    (0, b"wOF2", Kind("a WOFF2 font")),
    (0, b"wOFF", Kind("a WOFF font")),
    (0, b"\0\x01\0\0", Kind("a TrueType font")),
    (0, b"\0\0\x01\0", Kind("an icon (.ico)")),
    (0, b"II*\0", Kind("a TIFF image")),
    (0, b"MM\0*", Kind("a TIFF image")),
    (0, b"OggS", Kind("an Ogg audio or video file")),
    (0, b"fLaC", Kind("a FLAC audio file")),
    (0, b"ID3", Kind("an MP3 audio file")),
    (4, b"ftyp", Kind("an MP4 video or HEIF image")),
    (0, b"\x1aE\xdf\xa3", Kind("a Matroska or WebM video")),
    (8, b"WAVE", Kind("a WAV audio file")),
    (0, b"PAR1", Kind("a Parquet table")),
    (0, b"\xd0\xcf\x11\xe0", Kind("an old Office document")),
    (0, b"BZh", Kind("data compressed by bzip2")),
    (0, b"BM", Kind("a BMP image")),
    (0, b"MZ", Kind("a Windows program or library")),
)


def read_head(path: Path) -> bytes:
    """Return the first HEAD_BYTES of a regular file; nothing if the file is not regular or cannot be opened. Blocks."""
    try:
        if not path.is_file():
            return b""
        with open(path, "rb", opener=open_without_waiting) as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""


def recognise(head: bytes) -> Kind | None:
    """Return the kind of file that begins with these bytes, or None for an unknown kind, which may be text.

    Some signatures are letters that a text may begin with as well: such a signature counts only in a binary. The name
    of a file says nothing here: an SVG is text, and a PNG called .txt is an image.
    """
    for start, signature, kind in _SIGNATURES:
        if head.startswith(signature, start) and (not signature.isascii() or is_binary(head) or signature == b"%PDF-"):
            return kind
    return None


def is_binary(head: bytes) -> bool:
    """Return whether the bytes are no text in any single-byte encoding: a NUL, or too many control characters."""
    if b"\0" in head:
        return True
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return controls > len(head) * _MOST_CONTROLS


def describe(head: bytes) -> str:
    """Return the kind of a binary in words, as far as the first bytes tell."""
    kind = recognise(head)
    if kind is not None:
        return kind.name
    if _looks_like_utf16(head):
        return "probably UTF-16 text without a byte order mark"
    return "of a kind that its first bytes do not tell"


def _looks_like_utf16(head: bytes) -> bool:
    """Return whether every other byte is a NUL, as in English text in UTF-16."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    return max(even, odd) > len(head) * 0.4 and min(even, odd) == 0
