"""Request for a cursor's place: the prompt within the budget, without keys, or the reason for no request. Pure."""

from placet.completion.answer import AnswerContext, takes_lines
from placet.completion.answer_cleaning import Unusable
from placet.completion.answer_lines import cut_lines
from placet.completion.cursor_context import CursorContext
from placet.completion.formats import control_token_in, format_of
from placet.completion.secrets import holds_secret, without_secrets
from placet.model.fill import FillRequest

_LINE_TOKENS = 48
_BLOCK_TOKENS = 160
_ASKED_TOKENS = 320


def fill_request(asked: AnswerContext, model: str, path: str) -> FillRequest:
    """Return the request for the model. Raises Unusable if no text of the place may leave.

    A key elsewhere in the text is replaced by a mark. `path` is the document's name, relative to the project.
    """
    context = asked.context
    if holds_secret(context.line_before + context.line_after):
        raise Unusable("a key on the cursor's line")
    if token := control_token_in(context.prefix) or control_token_in(context.suffix):
        raise Unusable(f"the text holds the control token {token.strip()} of a model")
    prefix, suffix = without_secrets(context.prefix), without_secrets(context.suffix)
    found = format_of(model)
    return FillRequest(
        prefix,
        suffix,
        path,
        asked.language,
        found.render(prefix, suffix, (), path) if found is not None else "",
        stops=found.stops if found is not None else (),
        most_tokens=_most_tokens(asked),
    )


def _most_tokens(asked: AnswerContext) -> int:
    if not takes_lines(asked):
        return _LINE_TOKENS
    return _ASKED_TOKENS if asked.is_asked else _BLOCK_TOKENS


def is_enough(text: str, asked: AnswerContext) -> bool:
    """Return whether the answer so far holds all that could be shown, so that the rest need not be waited for."""
    lines = text.lstrip("\n").split("\n") if _starts_on_empty_line(asked.context) else text.split("\n")
    if len(lines) < 2:
        return False
    if not takes_lines(asked):
        return bool(text.strip())
    whole = lines[:-1]
    return len(cut_lines(whole, asked.context, asked.language, is_asked=asked.is_asked)) < len(whole)


def _starts_on_empty_line(context: CursorContext) -> bool:
    return not context.line_before.strip()
