"""A question to the user and its answer, as two processes tell them each other. Pure."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from placet.core.messages import Value, whole_characters
from placet.core.ports import (
    FileEditKind,
    PermissionAnswer,
    PermissionRequest,
    ProposedChange,
    ProposedFile,
    Question,
    Scope,
)
from placet.text.lines import split_lines

CONTEXT_LINES = 3


def _readable(text: object) -> object:
    """With whole characters: a file's name or text can hold half a one."""
    return whole_characters(text) if isinstance(text, str) else text


Text = Annotated[str, BeforeValidator(_readable)]


class Piece(Value):
    """What of a change can be allowed alone: a hunk, or a file that has none."""

    file: Text
    """The name by which the user knows it."""
    new_file: Text | None = None
    kind: FileEditKind
    line: int = 0
    """Where it begins, counted from 1; 0 without a hunk."""
    lines: tuple[Text, ...] = ()
    """With ` `, `-` or `+` in front and without their ends."""


class Offer(Value):
    """What "always" would grant, and for how long."""

    scope: Scope
    patterns: tuple[Text, ...]


class AskedPermission(Value):
    """May this be done?"""

    kind: Literal["permission"] = "permission"
    title: Text
    tool: Text
    origin: tuple[Text, ...] = ()
    permission: Text
    patterns: tuple[Text, ...]
    always: tuple[Offer, ...] = ()
    rule: Text
    pieces: tuple[Piece, ...] = ()
    """Known by their place, from 1."""
    command: Text | None = None
    directory: Text | None = None
    url: Text | None = None
    description: Text = ""
    """As PermissionRequest has it, as are `note` and `arguments`."""
    note: Text = ""
    arguments: Text = ""


class Option(Value):
    label: Text
    description: Text = ""


class OneQuestion(Value):
    header: Text
    question: Text
    options: tuple[Option, ...] = ()
    multiple: bool = False
    custom: bool = True


class AskedQuestions(Value):
    """What does the user want?"""

    kind: Literal["questions"] = "questions"
    questions: tuple[OneQuestion, ...]

    @property
    def title(self) -> str:
        return " / ".join(one.question for one in self.questions)


Asked = Annotated[AskedPermission | AskedQuestions, Field(discriminator="kind")]


class GivenAnswer(Value):
    """The user's word."""

    outcome: Literal["once", "always", "reject"]
    scope: Scope = "session"
    pieces: tuple[int, ...] | None = None
    """Those that are allowed; None for all."""
    message: str = ""
    """Why not."""
    answers: tuple[tuple[str, ...], ...] | None = None
    """To questions, for each of them."""


def asked_permission(request: PermissionRequest) -> AskedPermission:
    """The request with all that the user has to see of it."""
    return AskedPermission(
        title=request.title,
        tool=request.tool,
        origin=request.origin,
        permission=request.permission,
        patterns=request.patterns,
        always=tuple(Offer(scope=one.scope, patterns=one.patterns) for one in request.always),
        rule=request.rule,
        pieces=() if request.change is None else tuple(piece for _, _, piece in _pieces(request.change)),
        command=request.command,
        directory=None if request.directory is None else str(request.directory),
        url=request.url,
        description=request.description,
        note=request.note,
        arguments=request.arguments,
    )


def asked_questions(questions: tuple[Question, ...]) -> AskedQuestions:
    return AskedQuestions(
        questions=tuple(
            OneQuestion(
                header=one.header,
                question=one.question,
                options=tuple(Option(label=option.label, description=option.description) for option in one.options),
                multiple=one.multiple,
                custom=one.custom,
            )
            for one in questions
        )
    )


def permission_answer(request: PermissionRequest, given: GivenAnswer) -> PermissionAnswer:
    """The answer in terms of the request. A piece that the request does not have is left out."""
    if given.outcome == "reject":
        return PermissionAnswer("reject", feedback=given.message)
    if given.pieces is None or request.change is None:
        return PermissionAnswer(given.outcome, scope=given.scope)
    allowed: dict[Path, frozenset[int]] = {}
    for number, (file, hunk, _) in enumerate(_pieces(request.change), start=1):
        if number in given.pieces:
            allowed[file.path] = allowed.get(file.path, frozenset()) | (frozenset() if hunk is None else {hunk})
    if not allowed:
        return PermissionAnswer("reject", feedback=given.message)
    return PermissionAnswer(given.outcome, scope=given.scope, hunks=allowed)


def question_answer(given: GivenAnswer) -> list[list[str]] | None:
    """The labels for each question; None when the user declined."""
    return None if given.outcome == "reject" or given.answers is None else [list(one) for one in given.answers]


def _pieces(change: ProposedChange) -> Iterator[tuple[ProposedFile, int | None, Piece]]:
    """Each piece with its file and the id of its hunk there."""
    for file in change.files:
        new_file = None if file.new_path is None else str(file.new_path)
        name = file.name or str(file.path)
        if not file.hunks:
            yield file, None, Piece(file=name, new_file=new_file, kind=file.kind)
        old = split_lines(file.old_text)
        ends = [hunk.old_start + len(hunk.old_lines) for hunk in file.hunks]
        for number, hunk in enumerate(file.hunks):
            top = max(ends[number - 1] if number else 0, hunk.old_start - CONTEXT_LINES)
            last = number == len(file.hunks) - 1
            bottom = min(len(old) if last else file.hunks[number + 1].old_start, ends[number] + CONTEXT_LINES)
            lines = (
                *(f" {line}" for line in old[top : hunk.old_start]),
                *(f"-{line}" for line in hunk.old_lines),
                *(f"+{line}" for line in hunk.new_lines),
                *(f" {line}" for line in old[ends[number] : bottom]),
            )
            shown = tuple(line.rstrip("\r\n") for line in lines)
            piece = Piece(file=name, new_file=new_file, kind=file.kind, line=hunk.old_start + 1, lines=shown)
            yield file, hunk.id, piece


def meant(labels: Sequence[str], text: str, *, several: bool) -> tuple[str, ...]:
    """The options that the user's text means: one by its label or number, or `several` with commas; else none.

    Letters count as the same in either case.
    """
    if (one := _meant(labels, text)) is not None:
        return (one,)
    found = [_meant(labels, part) for part in text.split(",")] if several else []
    return () if None in found else tuple(dict.fromkeys(label for label in found if label is not None))


def _meant(labels: Sequence[str], text: str) -> str | None:
    wanted = text.strip()
    if same := next((label for label in labels if label.lower() == wanted.lower()), None):
        return same
    return labels[int(wanted) - 1] if wanted.isdecimal() and 0 < int(wanted) <= len(labels) else None
