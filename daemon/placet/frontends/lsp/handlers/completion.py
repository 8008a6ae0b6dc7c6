"""`agent/complete`, and `textDocument/completion` in a prompt's document: the offers as LSP's items."""

from collections.abc import Iterator, Mapping

from placet.core.messages import JsonObject
from placet.frontends.lsp.connection.buffers import OpenBuffer
from placet.frontends.lsp.connection.prompt_documents import session_of
from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.completion_messages import (
    Complete,
    CompletionCommand,
    CompletionData,
    CompletionEdit,
    CompletionItem,
    CompletionList,
)
from placet.frontends.lsp.protocol.editor_messages import Position, Range
from placet.sessions.prompts.completion import Offer, OfferKind, Offers
from placet.text.buffer import Buffer
from placet.text.positions import Position as Place
from placet.text.positions import PositionEncoding

_KINDS: Mapping[OfferKind, int] = {
    "file": 17,
    "directory": 19,
    "symbol": 6,
    "agent": 9,
    "diagnostics": 23,
    "resource": 18,
    "command": 3,
    "argument": 12,
}
"""LSP 3.17's CompletionItemKind by the kind of an offer."""
_OF_SYMBOLS: Mapping[int, int] = {
    2: 9,
    3: 9,
    4: 9,
    5: 7,
    6: 2,
    7: 10,
    8: 5,
    9: 4,
    10: 13,
    11: 8,
    12: 3,
    13: 6,
    14: 21,
    22: 20,
    23: 22,
    24: 23,
    25: 24,
    26: 25,
}
"""LSP 3.17's CompletionItemKind by SymbolKind."""


@request("agent/complete")
async def complete(context: HandlerContext, params: Complete) -> CompletionList:
    return await _complete(context, Buffer(params.text), params.position, params.session_id)


async def complete_document(context: HandlerContext, document: OpenBuffer, position: Position) -> JsonObject:
    """Return the answer to `textDocument/completion`. The items have no command: editors would run the command at
    once.
    """
    listed = await _complete(context, Buffer(document.text), position, session_of(document.uri))
    items = tuple(item.model_copy(update={"command": None}) for item in listed.items)
    return CompletionList(is_incomplete=listed.is_incomplete, items=items).dump()


async def _complete(
    context: HandlerContext, prompt: Buffer, position: Position, session_id: str | None
) -> CompletionList:
    encoding = context.buffers.encoding
    offset = prompt.offset_at(Place(position.line, position.character), encoding)
    open_paths = [open_buffer.path for open_buffer in reversed(context.buffers.all()) if open_buffer.path is not None]
    offers = await context.sessions.completion.complete(
        prompt.text, offset, session_id=session_id, open_paths=open_paths
    )
    written = prompt.text[offers.start : offset]
    items = _items(offers, written, _range(prompt, offers, encoding))
    return CompletionList(is_incomplete=offers.is_incomplete, items=tuple(items))


def _items(offers: Offers, written: str, span: Range) -> Iterator[CompletionItem]:
    for number, offer in enumerate(offers.offers):
        yield CompletionItem(
            label=offer.label,
            kind=_OF_SYMBOLS.get(offer.symbol_kind, _KINDS[offer.kind]),
            detail=offer.detail or None,
            filter_text=offer.filter or written,
            sort_text=f"{number:04d}",
            text_edit=CompletionEdit(range=span, new_text=offer.text),
            command=_command(offer),
            data=CompletionData(kind=offer.kind),
        )


def _command(offer: Offer) -> CompletionCommand | None:
    if not offer.runs:
        return None
    return CompletionCommand(title=offer.detail, command=f"placet.{offer.label.removeprefix('/')}")


def _range(prompt: Buffer, offers: Offers, encoding: PositionEncoding) -> Range:
    start, end = (prompt.position_at(offset, encoding) for offset in (offers.start, offers.end))
    return Range(
        start=Position(line=start.line, character=start.character),
        end=Position(line=end.line, character=end.character),
    )
