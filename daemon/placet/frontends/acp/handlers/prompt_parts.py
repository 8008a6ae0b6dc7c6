"""Parts of a prompt, as a session takes the parts, made from the client's content blocks."""

import base64
import binascii
from collections.abc import Sequence

from placet.core.messages import FilePart, PromptPart, TextPart
from placet.frontends.acp.connection.rpc_errors import invalid_params
from placet.frontends.acp.protocol.requests import (
    AudioBlock,
    EmbeddedContents,
    EmbeddedResource,
    ImageBlock,
    PromptBlock,
    ResourceLink,
    TextBlock,
)

DEFAULT_MIME = "application/octet-stream"


def prompt_parts(blocks: Sequence[PromptBlock]) -> list[PromptPart]:
    """Return the parts. Raises RpcError for an empty prompt, for audio, and for data that is not base64."""
    if not blocks:
        raise invalid_params("prompt: expected at least one content block")
    return [part for block in blocks for part in _parts(block)]


def _parts(block: PromptBlock) -> list[PromptPart]:
    match block:
        case TextBlock(text=text):
            return [TextPart(text=text)]
        case ResourceLink(uri=uri, name=name, mime_type=mime):
            if uri.startswith("file:"):
                return [FilePart(uri=uri, mime=mime or "text/plain", name=name)]
            return [TextPart(text=f"[{name}]({uri})", synthetic=True)]
        case ImageBlock(data=data, mime_type=mime):
            return [_data_part(data, mime, "image")]
        case EmbeddedResource(resource=contents):
            return [_embedded(contents)]
        case AudioBlock():
            raise invalid_params("prompt: Placet takes no audio. Send text, images, resources or links.")


def _embedded(contents: EmbeddedContents) -> PromptPart:
    if contents.text is not None:
        text = f'<resource uri="{contents.uri}">\n{contents.text}\n</resource>'
        return TextPart(text=text, synthetic=True)
    if contents.blob is not None:
        return _data_part(contents.blob, contents.mime_type or DEFAULT_MIME, contents.uri)
    raise invalid_params("prompt: a resource needs `text` or `blob`")


def _data_part(data: str, mime: str, name: str) -> FilePart:
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise invalid_params(f"prompt: the data of {name} is not base64") from None
    return FilePart(uri=f"data:{mime};base64,{data}", mime=mime, name=name)
