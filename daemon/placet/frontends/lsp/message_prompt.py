"""Asking in an editor without our plugin: `window/showMessageRequest`, one at a time.

Helix lets a second request take the place of the first, which is then never answered; eglot and Kate stand still while
they ask. So there is a queue, and a time for each. Null, Kate's `{}`, and no answer in time is a prompt put away.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from placet.frontends.lsp.peer import Peer, PeerError
from placet.frontends.lsp.review_document import Review, diff_of, hunk_text
from placet.ports import PermissionAnswer, PermissionRequest, ProposedChange, Question, Scope
from placet.project.executor import in_thread

ONCE, REJECT, SHOW_DIFF, BY_HUNK = "Allow once", "Reject", "Show diff", "Hunk by hunk"
CHOSEN, NOT_CHOSEN, DONE = "[x] ", "[ ] ", "Done"
KEEP, DROP, KEEP_REST, DROP_REST = "Keep", "Drop", "Keep all left", "Drop all left"
ANSWER_SECONDS = 600.0
"""After this a prompt counts as put away, so that one nobody will ever answer does not hold up the others."""
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

    def __init__(self, peer: Peer, reviews: Path, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._peer = peer
        self._reviews = reviews
        self._answer_seconds = answer_seconds
        self._turn = asyncio.Lock()

    async def ask_permission(self, request: PermissionRequest) -> PermissionAnswer | None:
        """The answer; None when the prompt was put away. Raises PeerError and PeerGone."""
        always: dict[str, Scope] = {ALWAYS[offer.scope]: offer.scope for offer in request.always}
        actions = [ONCE, *always, REJECT]
        if request.change is not None:
            review = Review(request, request.change)
            actions += [SHOW_DIFF] if len(review.open) < 2 else [SHOW_DIFF, BY_HUNK]
        message = _message(request)
        async with self._turn:
            while (chosen := await self._show(message, actions)) == SHOW_DIFF and request.change is not None:
                where = await self.show_review(request.id, request.change)
                message = f"{request.title}\nThe whole diff: {where}"
                if self._peer.profile.blocks_while_asking:
                    # Nobody can read it with the next question before it.
                    told = f"The whole diff of {request.title}: {where}"
                    self._peer.notify("window/showMessage", {"type": _INFO, "message": told})
                    return None
            if chosen == BY_HUNK and request.change is not None:
                return await self._by_hunk(Review(request, request.change))
        match chosen:
            case "Allow once":
                return PermissionAnswer("once")
            case "Reject":
                return PermissionAnswer("reject")
            case str() if chosen in always:
                return PermissionAnswer("always", scope=always[chosen])
            case _:
                return None

    def review_file(self, request_id: str) -> Path:
        """Where the diff of a request lies, once it was shown."""
        return self._reviews / f"review-{request_id}.diff"

    async def ask_questions(self, questions: Sequence[Question]) -> list[list[str]] | None:
        """The choice for each question; None as soon as one is put away. Raises PeerError and PeerGone."""
        answers: list[list[str]] = []
        async with self._turn:
            for question in questions:
                chosen = await (self._several(question) if question.multiple else self._one(question))
                if chosen is None:
                    return None
                answers.append(chosen)
        return answers

    async def _one(self, question: Question) -> list[str] | None:
        labels = [option.label for option in question.options]
        chosen = await self._show(f"{question.header}: {question.question}", labels)
        return None if chosen not in labels else [chosen]

    async def _several(self, question: Question) -> list[str] | None:
        """Each prompt chooses an option or takes it back, until the user is done."""
        labels = [option.label for option in question.options]
        chosen: set[str] = set()
        while True:
            titles = {f"{CHOSEN if label in chosen else NOT_CHOSEN}{label}": label for label in labels}
            title = await self._show(f"{question.header}: {question.question} (any of them)", [*titles, DONE])
            if title == DONE:
                return [label for label in labels if label in chosen]
            if title not in titles:
                return None
            chosen ^= {titles[title]}

    async def choose(self, message: str, titles: Sequence[str]) -> str | None:
        """One of the titles; None when it is put away. Raises PeerError and PeerGone."""
        async with self._turn:
            chosen = await self._show(message, titles)
        return chosen if chosen in titles else None

    async def _by_hunk(self, review: Review) -> PermissionAnswer | None:
        """The answer hunk after hunk; None as soon as one is put away."""
        count = len(review.open)
        answer: PermissionAnswer | None = None
        while left := review.open:
            message = f"{count - len(left) + 1} of {count}: {hunk_text(review.change, left[0])}"
            chosen = await self._show(message, [KEEP, DROP] if len(left) == 1 else [KEEP, DROP, KEEP_REST, DROP_REST])
            if chosen not in (KEEP, DROP, KEEP_REST, DROP_REST):
                return None
            places = left if chosen in (KEEP_REST, DROP_REST) else left[:1]
            answer = review.decide(places, keep=chosen in (KEEP, KEEP_REST))
        return answer

    async def _show(self, message: str, actions: Sequence[str]) -> str | None:
        """The title of the chosen action; None when it is put away, or nothing comes in time."""
        params = {"type": _INFO, "message": message, "actions": [{"title": title} for title in actions]}
        try:
            result = await self._peer.request("window/showMessageRequest", params, timeout_seconds=self._answer_seconds)
        except TimeoutError:
            return None
        title = cast("dict[str, Any]", result).get("title") if isinstance(result, dict) else None
        return title if isinstance(title, str) else None

    async def show_review(self, request_id: str, change: ProposedChange) -> Path:
        """Write the diff to a file and have the editor show it, if it can."""
        file = self.review_file(request_id)
        await in_thread(write_review, file, change)
        if self._peer.profile.shows_documents:
            try:
                params = {"uri": file.as_uri(), "external": False, "takeFocus": False}
                await self._peer.request("window/showDocument", params, timeout_seconds=10)
            except (PeerError, TimeoutError):
                return file  # The next prompt says where it lies.
        return file


def write_review(file: Path, change: ProposedChange) -> None:
    """The change as a `.diff` file; those of yesterday beside it are removed. Blocks."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for old in file.parent.glob("review-*.diff"):
        if old.stat().st_mtime < time.time() - _DAY_SECONDS:
            old.unlink(missing_ok=True)
    file.write_text(diff_of(change), "utf-8", newline="")


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
