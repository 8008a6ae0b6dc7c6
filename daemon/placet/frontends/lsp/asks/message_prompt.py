"""Questions in an editor without our plugin, by `window/showMessageRequest`, at most a single question at a time.

Helix lets a second request take the place of the first, which is then never answered; eglot and Kate stand still while
asking. So questions wait in a queue, and each has a time limit. Null, Kate's `{}`, and no answer in time mean a prompt
put away.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from placet.core.executor import in_thread
from placet.core.ports import AlwaysOffer, PermissionAnswer, PermissionRequest, ProposedChange, Question, Scope
from placet.core.visible_text import shortened, spelled_out, without_controls
from placet.frontends.lsp.asks.review_document import Review, diff_of, hunk_text
from placet.frontends.lsp.connection.editor_client import EditorClient
from placet.frontends.lsp.connection.showing import show_document, show_message
from placet.sessions.asks.ask_text import ask_lines, spoken_line
from placet.text.counted import first_lines

ONCE, REJECT, SHOW_DIFF, BY_HUNK, SHOW_ALL = "Allow once", "Reject", "Show diff", "Hunk by hunk", "Show full text"
CHOSEN, NOT_CHOSEN, DONE = "[x] ", "[ ] ", "Done"
KEEP, DROP, KEEP_REST, DROP_REST = "Accept", "Reject", "Accept all remaining", "Reject all remaining"
ANSWER_SECONDS = 600.0
"""Time after which a prompt counts as put away, so that a prompt nobody will ever answer does not hold up the next."""
ALWAYS: dict[Scope, str] = {
    "session": "Always in this session",
    "project": "Always in this project",
    "user": "Always everywhere",
}
ACTIONS = {"allow": "allowed", "ask": "asked", "deny": "denied"}
PREVIEW_LINES = 20
MOST_CHARACTERS, LEAD_CHARACTERS = 2000, 100
"""Limits of a message with a question: a longer question can be allowed only once the whole was shown."""
PATTERN_CHARACTERS = 60
"""Longest text of the patterns in the title of a choice."""
_DAY_SECONDS = 24 * 60 * 60


class MessagePrompt:
    """Prompt of a generic editor: the only place on the editor's screen where something can be asked."""

    def __init__(self, client: EditorClient, reviews: Path, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._client = client
        self._reviews = reviews
        self._answer_seconds = answer_seconds
        self._turn = asyncio.Lock()
        self._seen: set[str] = set()
        """Ids of the requests whose whole text was shown."""

    async def ask_permission(self, request: PermissionRequest) -> PermissionAnswer | None:
        """Return the user's answer, or None when the prompt was put away. Raises EditorError and EditorGone.

        A request of which a message shows a part alone is allowed only once the whole was shown.
        """
        always: dict[str, Scope] = {_always(offer): offer.scope for offer in request.always}
        message = _message(request, is_seen=request.id in self._seen)
        async with self._turn:
            while (chosen := await self._show(message, self._actions(request))) in (SHOW_DIFF, SHOW_ALL):
                message = await self._show_whole(request)
                if self._client.profile.blocks_while_asking:
                    # Nobody can read the message with the next question before it.
                    show_message(self._client, message)
                    return None
            if chosen == BY_HUNK and request.change is not None:
                return await self._by_hunk(Review(request, request.change), is_seen=self.shows_whole(request))
        match chosen:
            case "Allow once":
                return PermissionAnswer("once")
            case "Reject":
                return PermissionAnswer("reject")
            case str() if chosen in always:
                return PermissionAnswer("always", scope=always[chosen])
            case _:
                return None

    def shows_whole(self, request: PermissionRequest) -> bool:
        """Return True if the request's text fits into a message, or the whole text was shown."""
        return request.id in self._seen or not _is_long(_asked(request) if request.change is None else _diff(request))

    def _actions(self, request: PermissionRequest) -> list[str]:
        """Return the titles of the prompt: those that allow only if the user can have seen the whole."""
        is_whole = self.shows_whole(request)
        allowing = [ONCE, *map(_always, request.always)] if is_whole else []
        if request.change is None:
            return [*allowing, REJECT] if is_whole else [SHOW_ALL, REJECT]
        by_hunk = [BY_HUNK] if len(Review(request, request.change).open) > 1 else []
        return [*allowing, REJECT, SHOW_DIFF, *by_hunk] if is_whole else [SHOW_DIFF, *by_hunk, REJECT]

    async def _show_whole(self, request: PermissionRequest) -> str:
        """Open the request's whole diff or text, and return the message that names the file."""
        if request.change is not None:
            return f"{request.title}\nFull diff: {await self.show_review(request.id, request.change)}"
        return f"{_brief(_asked(request))}\nFull text: {await self.show_text(request)}"

    async def show_text(self, request: PermissionRequest) -> Path:
        """Write the request's whole text to a file, and have the editor show the file, if the editor can."""
        file = self._reviews / f"ask-{request.id}.txt"
        await in_thread(_write, file, "\n".join((*_asked(request), "")))
        await self.show_file(file)
        self._seen.add(request.id)
        return file

    def review_file(self, request_id: str) -> Path:
        """Return the path of a request's diff; the file exists once the diff was shown."""
        return self._reviews / f"review-{request_id}.diff"

    async def ask_questions(self, questions: Sequence[Question]) -> list[list[str]] | None:
        """Return the choice for each question, or None as soon as a question is put away. Raises EditorError and
        EditorGone.
        """
        answers: list[list[str]] = []
        async with self._turn:
            for question in questions:
                chosen = await (self._choose_options(question) if question.multiple else self._choose_option(question))
                if chosen is None:
                    return None
                answers.append(chosen)
        return answers

    async def _choose_option(self, question: Question) -> list[str] | None:
        labels = [option.label for option in question.options]
        chosen = await self._show(_question(question), labels)
        return None if chosen not in labels else [chosen]

    async def _choose_options(self, question: Question) -> list[str] | None:
        """Ask repeatedly: each prompt chooses an option or takes the option back, until the user is done."""
        labels = [option.label for option in question.options]
        chosen: set[str] = set()
        while True:
            titles = {f"{CHOSEN if label in chosen else NOT_CHOSEN}{label}": label for label in labels}
            title = await self._show(f"{_question(question)} (choose any number)", [*titles, DONE])
            if title == DONE:
                return [label for label in labels if label in chosen]
            if title not in titles:
                return None
            chosen ^= {titles[title]}

    async def choose(self, message: str, titles: Sequence[str]) -> str | None:
        """Return the chosen title, or None when the prompt is put away. Raises EditorError and EditorGone."""
        async with self._turn:
            chosen = await self._show(message, titles)
        return chosen if chosen in titles else None

    async def _by_hunk(self, review: Review, *, is_seen: bool) -> PermissionAnswer | None:
        """Return the answer given hunk after hunk, or None as soon as a hunk's prompt is put away.

        The remaining hunks can be accepted together if the user can have seen the hunks (`is_seen`).
        """
        count = len(review.open)
        answer: PermissionAnswer | None = None
        while left := review.open:
            message = f"{count - len(left) + 1} of {count}: {hunk_text(review.change, left[0])}"
            rest = [*([KEEP_REST] if is_seen else []), DROP_REST] if len(left) > 1 else []
            actions = [KEEP, DROP, *rest]
            if (chosen := await self._show(message, actions)) not in actions:
                return None
            places = left if chosen in (KEEP_REST, DROP_REST) else left[:1]
            answer = review.decide(places, keep=chosen in (KEEP, KEEP_REST))
        return answer

    async def _show(self, message: str, actions: Sequence[str]) -> str | None:
        """Return the title of the chosen action, or None when the prompt is put away or no answer comes in time."""
        items = [types.MessageActionItem(title) for title in actions]
        params = types.ShowMessageRequestParams(types.MessageType.Info, without_controls(message), items)
        try:
            chosen: types.MessageActionItem | None = await self._client.request(
                types.WINDOW_SHOW_MESSAGE_REQUEST, params, timeout_seconds=self._answer_seconds
            )
        except TimeoutError:
            return None
        return None if chosen is None else chosen.title

    async def show_review(self, request_id: str, change: ProposedChange) -> Path:
        """Write the diff to a file and have the editor show the file, if the editor can."""
        file = self.review_file(request_id)
        await in_thread(write_review, file, change)
        await self.show_file(file)
        self._seen.add(request_id)
        return file

    def tell(self, text: str) -> None:
        """Show a message that needs no answer."""
        show_message(self._client, without_controls(f"Placet: {text}"))

    async def show_file(self, file: Path) -> None:
        """Ask the editor to show the file, if the editor can; the next prompt names the file's path."""
        await show_document(self._client, file.as_uri(), take_focus=False)


def write_review(file: Path, change: ProposedChange) -> None:
    """Write the change as a `.diff` file. Blocks."""
    _write(file, diff_of(change))


def _write(file: Path, text: str) -> None:
    """Write a text for the user to read, and remove such files older than a day from the directory. Blocks."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for old in (*file.parent.glob("review-*.diff"), *file.parent.glob("ask-*.txt")):
        if old.stat().st_mtime < time.time() - _DAY_SECONDS:
            old.unlink(missing_ok=True)
    file.write_text(text, "utf-8", newline="")


def _message(request: PermissionRequest, *, is_seen: bool) -> str:
    """Return the request's text with as much of the diff as fits into a message; of a text too long only the
    beginning.
    """
    asked = _asked(request)
    if request.change is None:
        return "\n".join(asked) if is_seen or not _is_long(asked) else _brief(asked)
    return "\n".join((*asked, *first_lines(_diff(request), PREVIEW_LINES)))


def _diff(request: PermissionRequest) -> list[str]:
    return [] if request.change is None else [spelled_out(line) for line in diff_of(request.change).splitlines()]


def _asked(request: PermissionRequest) -> list[str]:
    asked = [line.text.removeprefix("  ") for line in ask_lines(request)]
    if len(request.parts) > 1:
        asked += [f"{ACTIONS[part.action]}: {spelled_out(part.pattern)}" for part in request.parts]
    spoken = spoken_line(request)
    return [
        *asked,
        f"Asked by {spelled_out(request.rule)}",
        *([] if spoken is None else [spoken.text.removeprefix("  ")]),
    ]


def _always(offer: AlwaysOffer) -> str:
    """Return the title of the choice, with the patterns that the choice would allow."""
    return f"{ALWAYS[offer.scope]}: {shortened(', '.join(map(spelled_out, offer.patterns)), PATTERN_CHARACTERS)}"


def _question(question: Question) -> str:
    """Return the question's text; of a long question the beginning, and where the whole text is shown."""
    lines = f"{question.header}: {question.question}".split("\n")
    return "\n".join(first_lines(lines, PREVIEW_LINES, way=": run `placet pending` in a terminal to see all"))


def _is_long(lines: Sequence[str]) -> bool:
    return len(lines) > PREVIEW_LINES or sum(map(len, lines)) > MOST_CHARACTERS


def _brief(lines: Sequence[str]) -> str:
    return "\n".join(shortened(line, LEAD_CHARACTERS) for line in first_lines(lines, 2))
