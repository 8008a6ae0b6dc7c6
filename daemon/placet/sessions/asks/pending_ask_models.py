"""Pending asks and their answers as the store keeps both, so that one process shows what another process asks. Pure."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, WrapSerializer

from placet.changes.review.answers import answer_by_hunks
from placet.core.messages import Value
from placet.core.ports import (
    AlwaysOffer,
    FileEditKind,
    PermissionAnswer,
    PermissionRequest,
    ProposedChange,
    ProposedFile,
    Question,
    Scope,
    without_pages,
)
from placet.text.diff import lines_in_context


class ChangePart(Value):
    """Part of a change that the user can allow alone: a hunk, or a file without hunks."""

    file: str
    """Name by which the user knows the file."""
    new_file: str | None = None
    kind: FileEditKind
    line: int = 0
    """First line of the part, counted from 1; 0 without a hunk."""
    lines: tuple[str, ...] = ()
    """Lines with ` `, `-` or `+` in front and without their ends."""


class PendingPermission(Value):
    """Store form of a permission request; fields without a docstring mean the same as in PermissionRequest."""

    kind: Literal["permission"] = "permission"
    title: str
    tool: str
    origin: tuple[str, ...] = ()
    permission: str
    patterns: tuple[str, ...]
    always: tuple[AlwaysOffer, ...] = ()
    rule: str
    pieces: tuple[ChangePart, ...] = ()
    """Parts of the change; an answer names a part by the part's number, from 1."""
    command: str | None = None
    directory: str | None = None
    url: str | None = None
    description: str = ""
    note: str = ""
    arguments: str = ""


def _without_secret(question: Question, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
    """Leave out `secret`: a question with a secret answer never reaches the store."""
    fields = serialize(question)
    del fields["secret"]
    return fields


class PendingQuestions(Value):
    """Store form of questions that are asked together."""

    kind: Literal["questions"] = "questions"
    questions: tuple[Annotated[Question, WrapSerializer(_without_secret)], ...]

    @property
    def title(self) -> str:
        return " / ".join(question.question for question in self.questions)


Asked = Annotated[PendingPermission | PendingQuestions, Field(discriminator="kind")]


class StoredAnswer(Value):
    """Store form of the user's answer, given in another process than the asking process."""

    outcome: Literal["once", "always", "reject"]
    scope: Scope = "session"
    pieces: tuple[int, ...] | None = None
    """Numbers of the allowed parts; None for all parts."""
    message: str = ""
    """Reason of a rejection."""
    answers: tuple[tuple[str, ...], ...] | None = None
    """Labels or own words for each question."""


def pending_permission(request: PermissionRequest) -> PendingPermission:
    """Return the store form of the request, with whole characters in all texts."""
    return PendingPermission(
        title=request.title,
        tool=request.tool,
        origin=request.origin,
        permission=request.permission,
        patterns=request.patterns,
        always=request.always,
        rule=request.rule,
        pieces=() if request.change is None else tuple(part for _, _, part in _parts(request.change)),
        command=request.command,
        directory=None if request.directory is None else str(request.directory),
        url=request.url,
        description=request.description,
        note=request.note,
        arguments=request.arguments,
    ).with_whole_characters()


def pending_questions(questions: Sequence[Question]) -> PendingQuestions:
    """Return the store form of the questions, with whole characters in all texts."""
    return PendingQuestions(questions=tuple(without_pages(questions))).with_whole_characters()


def permission_answer(request: PermissionRequest, stored: StoredAnswer) -> PermissionAnswer:
    """Return the answer to the request. A number of a part that the request does not have is left out."""
    if stored.outcome == "reject":
        return PermissionAnswer("reject", feedback=stored.message)
    if stored.pieces is None or request.change is None:
        return PermissionAnswer(stored.outcome, scope=stored.scope)
    allowed: dict[Path, set[int]] = {}
    for number, (file, hunk, _) in enumerate(_parts(request.change), start=1):
        if number in stored.pieces:
            allowed.setdefault(file.path, set()).update(() if hunk is None else (hunk,))
    return answer_by_hunks(request.change.files, allowed, stored.outcome, stored.scope, stored.message)


def question_answer(stored: StoredAnswer) -> list[list[str]] | None:
    """Return the labels for each question; None when the user declined."""
    if stored.outcome == "reject" or stored.answers is None:
        return None
    return [list(labels) for labels in stored.answers]


def _parts(change: ProposedChange) -> Iterator[tuple[ProposedFile, int | None, ChangePart]]:
    """Yield each part of the change with the part's file and the id of the part's hunk in the file."""
    for file in change.files:
        new_file = None if file.new_path is None else str(file.new_path)
        name = file.name or str(file.path)
        if not file.hunks:
            yield file, None, ChangePart(file=name, new_file=new_file, kind=file.kind)
        for hunk in file.hunks:
            lines = tuple(line.rstrip("\r\n") for line in lines_in_context(hunk, file.hunks, file.old_text))
            part = ChangePart(file=name, new_file=new_file, kind=file.kind, line=hunk.old_start + 1, lines=lines)
            yield file, hunk.id, part


def chosen_labels(labels: Sequence[str], text: str, *, several: bool) -> tuple[str, ...]:
    """Return the labels that the user's text chooses: a label or a number, with `several` also a list with commas.

    The tuple is empty if any part of the text chooses no label. Upper and lower case count as the same.
    """
    if (label := _chosen_label(labels, text)) is not None:
        return (label,)
    chosen = [_chosen_label(labels, part) for part in text.split(",")] if several else []
    return () if None in chosen else tuple(dict.fromkeys(label for label in chosen if label is not None))


def _chosen_label(labels: Sequence[str], text: str) -> str | None:
    word = text.strip()
    if same := next((label for label in labels if label.lower() == word.lower()), None):
        return same
    return labels[int(word) - 1] if word.isdecimal() and 0 < int(word) <= len(labels) else None
