"""Asking in an editor without our plugin: `window/showMessageRequest`, one at a time.

Helix lets a second request take the place of the first, which is then never answered; eglot and Kate stand still while
they ask. So there is a queue. Null, and Kate's `{}`, is a prompt that was put away.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from placet.edits.unified import unified_diff
from placet.frontends.lsp.peer import Peer, PeerError
from placet.ports import PermissionAnswer, PermissionRequest, ProposedChange, ProposedFile, Question, Scope
from placet.project.executor import in_thread

ONCE, REJECT, SHOW_DIFF = "Allow once", "Reject", "Show diff"
ALWAYS: dict[Scope, str] = {
    "session": "Always in this session",
    "project": "Always in this project",
    "user": "Always everywhere",
}
ACTIONS = {"allow": "allowed", "ask": "asked", "deny": "denied"}
PREVIEW_LINES = 20
_INFO = 3
_DAY_SECONDS = 24 * 60 * 60


class MessagePrompt:
    """The one place on a plain editor's screen where something can be asked."""

    def __init__(self, peer: Peer, reviews: Path) -> None:
        self._peer = peer
        self._reviews = reviews
        self._turn = asyncio.Lock()

    async def ask_permission(self, request: PermissionRequest) -> PermissionAnswer | None:
        """The answer; None when the prompt was put away. Raises PeerError and PeerGone."""
        always: dict[str, Scope] = {ALWAYS[offer.scope]: offer.scope for offer in request.always}
        actions = [ONCE, *always, REJECT]
        if request.change is not None:
            actions.append(SHOW_DIFF)
        message = _message(request)
        async with self._turn:
            while (chosen := await self._show(message, actions)) == SHOW_DIFF and request.change is not None:
                where = await self._show_diff(request.id, request.change)
                message = f"{request.title}\nThe whole diff: {where}"
        match chosen:
            case "Allow once":
                return PermissionAnswer("once")
            case "Reject":
                return PermissionAnswer("reject")
            case str() if chosen in always:
                return PermissionAnswer("always", scope=always[chosen])
            case _:
                return None

    async def ask_questions(self, questions: Sequence[Question]) -> list[list[str]] | None:
        """One choice per question; None as soon as one is put away. Raises PeerError and PeerGone."""
        answers: list[list[str]] = []
        async with self._turn:
            for question in questions:
                labels = [option.label for option in question.options]
                chosen = await self._show(f"{question.header}: {question.question}", labels)
                if chosen not in labels:
                    return None
                answers.append([chosen])
        return answers

    async def _show(self, message: str, actions: Sequence[str]) -> str | None:
        """The title of the chosen action."""
        params = {"type": _INFO, "message": message, "actions": [{"title": title} for title in actions]}
        result = await self._peer.request("window/showMessageRequest", params)
        title = cast("dict[str, Any]", result).get("title") if isinstance(result, dict) else None
        return title if isinstance(title, str) else None

    async def _show_diff(self, request_id: str, change: ProposedChange) -> Path:
        """Write the diff to a file and have the editor show it, if it can."""
        file = await in_thread(write_review, self._reviews, request_id, change)
        if self._peer.profile.shows_documents:
            try:
                params = {"uri": file.as_uri(), "external": False, "takeFocus": False}
                await self._peer.request("window/showDocument", params, timeout_seconds=10)
            except (PeerError, TimeoutError):
                return file  # The next prompt says where it lies.
        return file


def write_review(directory: Path, request_id: str, change: ProposedChange) -> Path:
    """The change as a `.diff` file in `directory`; those of yesterday are removed. Blocks."""
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("review-*.diff"):
        if old.stat().st_mtime < time.time() - _DAY_SECONDS:
            old.unlink(missing_ok=True)
    file = directory / f"review-{request_id}.diff"
    file.write_text(diff_of(change), "utf-8", newline="")
    return file


def diff_of(change: ProposedChange) -> str:
    """All files of a change as one unified diff."""
    return "".join(_diff(file) for file in change.files)


def _diff(file: ProposedFile) -> str:
    old = "/dev/null" if file.kind == "create" else f"a/{_name(file.path)}"
    new = "/dev/null" if file.kind == "delete" else f"b/{_name(file.new_path or file.path)}"
    return unified_diff(file.old_text, file.new_text, old, new)


def _name(path: Path) -> str:
    return path.as_posix().lstrip("/")


def _message(request: PermissionRequest) -> str:
    """What is asked, with as much of the diff as fits into a message."""
    parts = [request.title]
    if request.command is not None:
        parts.append(request.command)
    if request.url is not None:
        parts.append(request.url)
    if len(request.parts) > 1:
        parts += [f"{ACTIONS[part.action]}: {part.pattern}" for part in request.parts]
    parts.append(f"Asked by {request.rule}")
    if request.change is not None:
        lines = diff_of(request.change).splitlines()
        parts += lines[:PREVIEW_LINES]
        if len(lines) > PREVIEW_LINES:
            parts.append(f"… and {len(lines) - PREVIEW_LINES} more lines")
    return "\n".join(parts)
