"""A server's answer as a tool's result: texts for the model, images as attachments, all other content in files."""

import base64
import binascii
import json
from pathlib import Path
from typing import Any

from placet.core.messages import FilePart, JsonObject
from placet.text.counted import counted
from placet.tools.framework.truncation import new_output_file
from placet.tools.reading.attachments import MOST_IMAGE_BYTES

IMAGES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
"""Image types that models accept."""
MOST_IMAGES = 20


class Content:
    """Collector of content. `directory` holds whole outputs; every method may block."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.texts: list[str] = []
        self.attachments: list[FilePart] = []

    @property
    def text(self) -> str:
        return "\n\n".join(self.texts)

    def take(self, item: JsonObject) -> None:
        """Take one item of MCP's content: text, image, audio, resource or resource_link."""
        match item.get("type"):
            case "text":
                self.texts.append(str(item.get("text", "")))
            case "image" | "audio" as kind:
                self._bytes(str(item.get("data", "")), str(item.get("mimeType", "")), kind)
            case "resource":
                self.resource(item.get("resource") or {})
            case "resource_link":
                about = f": {item['description']}" if item.get("description") else ""
                self.texts.append(f"Resource {item.get('uri')} ({item.get('name')}){about}")
            case kind:
                self.texts.append(f"(content of the kind {kind}, which cannot be shown)")

    def resource(self, resource: JsonObject) -> None:
        """Take the content of a resource: TextResourceContents or BlobResourceContents."""
        uri, mime = str(resource.get("uri", "")), str(resource.get("mimeType") or "")
        if "text" in resource:
            self.texts.append(f'<resource uri="{uri}">\n{resource["text"]}\n</resource>')
        else:
            self._bytes(str(resource.get("blob", "")), mime, f"resource {uri}")

    def _bytes(self, encoded: str, mime: str, label: str) -> None:
        is_image = mime in IMAGES and len(encoded) * 3 // 4 <= MOST_IMAGE_BYTES
        if is_image and len(self.attachments) < MOST_IMAGES:
            name = f"{label.partition(' ')[0]}.{mime.partition('/')[2]}"
            self.attachments.append(FilePart(uri=f"data:{mime};base64,{encoded}", mime=mime, name=name))
            return
        try:
            data = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            self.texts.append(f"({label}: its content is not base64, and is left out)")
            return
        path = new_output_file(self._directory)
        path.write_bytes(data)
        self.texts.append(f"({label}: {counted(len(data), 'byte')} of {mime or 'unknown type'}, kept in {path})")


def call_content(result: JsonObject, directory: Path) -> Content:
    """Return the content of MCP's CallToolResult. Structured content is shown where no text came.

    Blocks; raises OSError.
    """
    content = Content(directory)
    for item in result.get("content") or ():
        content.take(item)
    structured: Any = result.get("structuredContent")
    if structured is not None and not content.texts:
        content.texts.append(json.dumps(structured, ensure_ascii=False, indent=1))
    return content


def read_content(result: JsonObject, directory: Path) -> Content:
    """Return the content of MCP's ReadResourceResult. Blocks; raises OSError."""
    content = Content(directory)
    for resource in result.get("contents") or ():
        content.resource(resource)
    return content
