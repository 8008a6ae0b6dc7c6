"""Show requests that wait for the user's answer, as text for a terminal."""

from collections.abc import Iterator

from rich.text import Text

from placet.core.ids import now, short_id
from placet.core.ports import Question
from placet.core.visible_text import one_line, shown_lines, spelled_out
from placet.frontends.terminal.pending.row import age
from placet.frontends.terminal.run.request_text import request_text, spoken_text
from placet.sessions.asks.pending_ask_models import ChangePart, PendingPermission, PendingQuestions
from placet.sessions.asks.pending_asks import PendingAsk

_STYLES = {"+": "green", "-": "red"}


def whole(waiting: PendingAsk) -> Text:
    """Return the text needed for an answer, and the possible answers."""
    asked = waiting.asked
    lines = list(_permission(asked) if isinstance(asked, PendingPermission) else _questions(asked))
    where = f"in {one_line(waiting.session) or waiting.session_id}, asked {age(now() - waiting.created)} ago"
    lines += [Text(f"{where} by process {waiting.process_id}", style="dim"), Text("")]
    lines += [Text(f"  {line}") for line in _answers(waiting)]
    return Text("\n").join(lines)


def _permission(asked: PendingPermission) -> Iterator[Text]:
    yield request_text(asked)
    if not asked.pieces and asked.command is None and asked.url is None:
        yield Text(f"  {asked.permission}: {', '.join(map(spelled_out, asked.patterns))}")
    file = None
    for number, piece in enumerate(asked.pieces, start=1):
        heading = _heading(piece)
        if heading != file:
            yield Text(heading, style="bold")
            file = heading
        yield Text(f"[{number}] line {piece.line}" if piece.line else f"[{number}]", style="cyan")
        yield from (Text(spelled_out(line), style=_STYLES.get(line[:1], "")) for line in piece.lines)
    yield Text(f"asked by {spelled_out(asked.rule)}", style="dim")
    yield from spoken_text(asked)


def _heading(piece: ChangePart) -> str:
    renamed = "" if piece.new_file is None else f" -> {spelled_out(piece.new_file)}"
    return f"{piece.kind} {spelled_out(piece.file)}{renamed}"


def _questions(asked: PendingQuestions) -> Iterator[Text]:
    for question in asked.questions:
        yield from (Text(line, style="bold") for line in shown_lines(question.question))
        for number, option in enumerate(question.options, start=1):
            yield Text(f"  {number}. {spelled_out(option.label)}  {spelled_out(option.description)}".rstrip())
        yield Text(f"  {_how_many(question)}", style="dim")


def _how_many(question: Question) -> str:
    own = ", or answer in your own words" if question.custom and question.options else ""
    if not question.options:
        return "answer in your own words"
    return f"{'choose any number' if question.multiple else 'choose one'}{own}"


def _answers(waiting: PendingAsk) -> Iterator[str]:
    shown = short_id(waiting.id)
    match waiting.asked:
        case PendingPermission(always=always, pieces=pieces):
            yield f"placet approve {shown}"
            for offer in always:
                granted = ", ".join(map(spelled_out, offer.patterns))
                yield f"placet approve {shown} --always {offer.scope}    ({granted})"
            if len(pieces) > 1:
                yield f"placet approve {shown} --hunks 1,2    (of {len(pieces)})"
            yield f"placet reject {shown} [--message TEXT]"
        case PendingQuestions(questions=questions):
            yield f"placet approve {shown}{' --answer TEXT' * len(questions)}"
            yield f"placet reject {shown}"
