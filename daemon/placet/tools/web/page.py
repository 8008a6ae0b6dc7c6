"""Turn a fetched page into text: decode the bytes, and convert HTML into Markdown or plain text.

The server and the page say how to decode.
"""

import codecs
import re
from email.message import Message
from typing import Literal

Format = Literal["markdown", "text", "html"]

_META_BYTES = 4096
_META_CHARSET = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Python's other codecs are not of the web, and some take quadratic time.
_OF_THE_WEB = re.compile(
    r"utf-(8|16|32)|iso8859-|cp\d|koi8-|shift_jis|euc_|gb|big5|iso2022_jp|mac-|ascii|tis-620|johab", re.IGNORECASE
)
_INLINE_DATA = re.compile(r"\(data:[^()\s]{60,}\)")
_NOT_CONTENT = ["script", "style", "noscript", "iframe", "object", "embed", "template"]
_IMAGES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def media_type(content_type: str) -> tuple[str, str]:
    """Return the type (`text/html`) and the charset of a Content-Type header, each empty if the header has none."""
    header = Message()
    header["content-type"] = content_type
    return (header.get_content_type() if content_type else ""), header.get_content_charset() or ""


def image_type(body: bytes) -> str | None:
    """Return the media type of an image that models take, by its first bytes, or None."""
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _IMAGES.items() if body.startswith(magic)), None)


def is_binary(body: bytes) -> bool:
    """Return whether the body cannot be text: a NUL near the start, with no byte order mark to explain the NUL."""
    return b"\0" in body[:4096] and not any(body.startswith(bom) for bom, _ in _BOMS)


def is_html(media: str, body: bytes) -> bool:
    head = body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return media in ("text/html", "application/xhtml+xml") or (
        not media and head.startswith((b"<!doctype html", b"<html"))
    )


def decode_page(body: bytes, charset: str) -> str:
    """Decode by the byte order mark, else the header's charset, else the `meta` element's charset, else UTF-8.

    A page without any of these that is not UTF-8 counts as windows-1252, as in browsers. Bad bytes become U+FFFD.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body.decode(encoding, "replace")
    declared = _META_CHARSET.search(body, 0, _META_BYTES)
    for name in (charset, declared[1].decode("ascii") if declared else ""):
        if (encoding := _encoding(name)) is not None:
            return body.decode(encoding, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _encoding(name: str) -> str | None:
    try:
        encoding = codecs.lookup(name).name if name else ""
    except (LookupError, ValueError):
        return None
    if encoding in ("iso8859-1", "ascii"):
        return "cp1252"  # The web's meaning of these names (WHATWG Encoding).
    return encoding if _OF_THE_WEB.match(encoding) else None


def render(html: str, base: str, page_format: Format) -> str:
    """Return the HTML in the wanted format, with absolute links. Takes a moment for a large page."""
    if page_format == "html":
        return html
    from html_to_markdown import ConversionOptions, OutputFormat, convert

    options = ConversionOptions(
        extract_metadata=False,
        base_url=base,
        exclude_selectors=_NOT_CONTENT,
        output_format=OutputFormat.MARKDOWN if page_format == "markdown" else OutputFormat.PLAIN,
    )
    return _INLINE_DATA.sub("(data:...)", convert(html, options).content or "").strip()
