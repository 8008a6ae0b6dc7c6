"""`agent/complete`, and `textDocument/completion` in a prompt's document: the offers as LSP's items."""

from collections.abc import Iterator, Mapping

from lsprotocol import types

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

_Kind = types.CompletionItemKind
_KINDS: Mapping[OfferKind, types.CompletionItemKind] = {
    "file": _Kind.File,
    "directory": _Kind.Folder,
    "symbol": _Kind.Variable,
    "agent": _Kind.Module,
    "diagnostics": _Kind.Event,
    "resource": _Kind.Reference,
    "command": _Kind.Function,
    "argument": _Kind.Value,
}
_OF_SYMBOLS: Mapping[int, types.CompletionItemKind] = {
    types.SymbolKind.Module: _Kind.Module,
    types.SymbolKind.Namespace: _Kind.Module,
    types.SymbolKind.Package: _Kind.Module,
    types.SymbolKind.Class: _Kind.Class,
    types.SymbolKind.Method: _Kind.Method,
    types.SymbolKind.Property: _Kind.Property,
    types.SymbolKind.Field: _Kind.Field,
    types.SymbolKind.Constructor: _Kind.Constructor,
    types.SymbolKind.Enum: _Kind.Enum,
    types.SymbolKind.Interface: _Kind.Interface,
    types.SymbolKind.Function: _Kind.Function,
    types.SymbolKind.Variable: _Kind.Variable,
    types.SymbolKind.Constant: _Kind.Constant,
    types.SymbolKind.EnumMember: _Kind.EnumMember,
    types.SymbolKind.Struct: _Kind.Struct,
    types.SymbolKind.Event: _Kind.Event,
    types.SymbolKind.Operator: _Kind.Operator,
    types.SymbolKind.TypeParameter: _Kind.TypeParameter,
}


@request("agent/complete")
async def complete(context: HandlerContext, params: Complete) -> CompletionList:
    return await _complete(context, Buffer(params.text), params.position, params.session_id)


async def complete_document(
    context: HandlerContext, document: OpenBuffer, position: types.Position
) -> types.CompletionList:
    """Return the answer to `textDocument/completion`. The items have no command: editors would run the command at
    once.
    """
    place = Position(line=position.line, character=position.character)
    listed = await _complete(context, Buffer(document.text), place, session_of(document.uri))
    return types.CompletionList(listed.is_incomplete, [_standard(item) for item in listed.items])


def _standard(item: CompletionItem) -> types.CompletionItem:
    start, end = item.text_edit.range.start, item.text_edit.range.end
    span = types.Range(types.Position(start.line, start.character), types.Position(end.line, end.character))
    return types.CompletionItem(
        item.label,
        kind=types.CompletionItemKind(item.kind),
        detail=item.detail,
        sort_text=item.sort_text,
        filter_text=item.filter_text,
        text_edit=types.TextEdit(span, item.text_edit.new_text),
        data=item.data.dump(),
    )


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
