"""Images and PDF documents as they go to a model: whole, in a data URI, beside the text of a result."""

import base64
from pathlib import Path

from placet.core.errors import DocumentError
from placet.core.messages import FilePart
from placet.core.regular_files import open_without_waiting
from placet.project.files.file_type import Kind
from placet.project.undecodable_names import spelled

MOST_IMAGE_BYTES = 3_750_000
"""Limit of 5 MB in base64: the smallest limit of the large providers."""
MOST_PDF_BYTES = 15_000_000
"""Limit of 20 MB in base64, for the same reason."""


def attach(path: Path, kind: Kind) -> tuple[FilePart, int]:
    """Return the file as an attachment, and the size in bytes. Blocks. Raises DocumentError for a file too large."""
    most = MOST_PDF_BYTES if kind.mime == "application/pdf" else MOST_IMAGE_BYTES
    try:
        with open(path, "rb", opener=open_without_waiting) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(data) > most:
        size = path.stat().st_size
        raise DocumentError(
            f"{path} is {kind.name} of {size / 1e6:.1f} MB, and no more than {most / 1e6:.2f} MB can be sent to a "
            "model. Make a smaller copy by a command (fewer pixels, or only some pages), and read that."
        )
    return data_part(data, kind.mime, spelled(path.name)), len(data)


def data_part(data: bytes, mime: str, name: str) -> FilePart:
    """Return the bytes as a part that carries its own content (RFC 2397)."""
    return FilePart(uri=f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}", mime=mime, name=name)
