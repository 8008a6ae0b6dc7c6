"""The user's answers in an editor without our plugin, by commands and code actions, beside the prompt on the screen."""

from pathlib import Path
from typing import Any, cast

from lsprotocol import types

from placet.core.errors import RequestError
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.frontends.lsp.asks.approver import LspApprover
from placet.frontends.lsp.asks.review_document import Place, Review, action
from placet.project.paths import real

NOTHING_WAITS = "No request waits for an answer."
TITLE_CHARACTERS = 60


class GenericAnswers:
    """Waiting permission requests of a generic editor, and the progress of the reviews."""

    def __init__(self, approver: LspApprover) -> None:
        self._approver = approver
        self._reviews: dict[str, Review] = {}

    def ask_again(self) -> str:
        """Put all waiting requests and questions on the screen again."""
        waiting = self._approver.pending()
        for request in waiting:
            self._approver.reopen(request.id)
        return "" if self._approver.questions.reopen() or waiting else NOTHING_WAITS

    def answer(self, arguments: list[Any]) -> str:
        """Answer the oldest waiting request by `[once | always | reject]`, or another request by its id behind the
        word.

        Where only questions wait, give a text for each of the questions.
        """
        texts = [str(argument) for argument in arguments]
        if not self._approver.pending() and texts and (reply := self._approver.questions.answer(texts)) is not None:
            return reply
        match arguments:
            case [("once" | "always" | "reject") as outcome]:
                waiting = self._approver.pending()
                if not waiting:
                    return NOTHING_WAITS
                request = waiting[0]
            case [("once" | "always" | "reject") as outcome, str(request_id)]:
                request = self._find(request_id)
            case _:
                raise RequestError('placet.answer needs `["once"]`, `["always"]` or `["reject"]`.')
        if outcome == "always":
            if not request.always:
                raise RequestError(f"{request.title} can only be allowed once.")
            answer = PermissionAnswer("always", scope=request.always[0].scope)
        else:
            answer = PermissionAnswer(outcome)
        return self._say(request, answer)

    def decide(self, arguments: list[Any]) -> str:
        """Decide by `[request id, keep | drop, [[file, hunk], ...]]`: the answer is given once every hunk has a
        decision.
        """
        match arguments:
            case [str(request_id), ("keep" | "drop") as verb, list(places)]:
                review = self._review(self._find(request_id))
            case _:
                raise RequestError("placet.hunks works only through the code actions of a review.")
        if review is None:
            raise RequestError("The waiting request is not a change of files.")
        answer = review.decide([_place(place) for place in cast("list[Any]", places)], keep=verb == "keep")
        if answer is None:
            return f"{len(review.open)} of {len(review.places)} hunks are undecided."
        return self._say(review.request, answer)

    async def show_reviews(self, arguments: list[Any]) -> str:
        """Show the diffs of the waiting requests, or the diff or text of the named request, and return the paths."""
        message = self._approver.message
        if arguments and (request := self._find(str(arguments[0]))).change is None:
            return f"The text is in {await message.show_text(request)}"
        requests = [self._find(str(arguments[0]))] if arguments else self._approver.pending()
        files = [
            await message.show_review(request.id, request.change) for request in requests if request.change is not None
        ]
        return "\n".join(f"The diff is in {file}" for file in files) or "No change waits for an answer."

    def actions(self, path: Path | None, span: types.Range) -> list[types.CodeAction]:
        """Return the code actions: in the diff of a change for the hunks; everywhere the answers to the oldest waiting
        request.
        """
        waiting = self._approver.pending()
        self._reviews = {request.id: self._reviews[request.id] for request in waiting if request.id in self._reviews}
        for request in waiting:
            review = self._review(request)
            if (
                review is not None
                and path is not None
                and _is_same_file(path, self._approver.message.review_file(request.id))
            ):
                return review.actions(span)
        if not waiting:
            return self._approver.questions.actions()
        return _answers_to(waiting[0], is_whole=self._approver.message.shows_whole(waiting[0]))

    def _say(self, request: PermissionRequest, answer: PermissionAnswer) -> str:
        self._reviews.pop(request.id, None)
        if not self._approver.answer(request.id, answer):
            return NOTHING_WAITS
        return f"{'Rejected' if answer.outcome == 'reject' else 'Allowed'}: {request.title}"

    def _review(self, request: PermissionRequest) -> Review | None:
        if request.change is None:
            return None
        return self._reviews.setdefault(request.id, Review(request, request.change))

    def _find(self, request_id: str) -> PermissionRequest:
        for request in self._approver.pending():
            if request.id == request_id:
                return request
        raise RequestError("The request no longer waits for an answer.")


def _answers_to(request: PermissionRequest, *, is_whole: bool) -> list[types.CodeAction]:
    """Return the answers as code actions: those that allow only if the user can have seen the whole request."""
    short = request.title if len(request.title) <= TITLE_CHARACTERS else f"{request.title[:TITLE_CHARACTERS]}..."
    always = [("Always allow", "always")] if request.always else []
    offered = [*([("Allow once", "once"), *always] if is_whole else []), ("Reject", "reject")]
    actions = [action(f"Placet: {verb}: {short}", "placet.answer", [word, request.id]) for verb, word in offered]
    if request.change is not None or not is_whole:
        shown = "full text" if request.change is None else "diff"
        actions.append(action(f"Placet: Show {shown}: {short}", "placet.review", [request.id]))
    return actions


def _place(value: Any) -> Place:
    match value:
        case [int(file), int(hunk)]:
            return file, hunk
        case _:
            raise RequestError("placet.hunks works only through the code actions of a review.")


def _is_same_file(first: Path, second: Path) -> bool:
    return first.name == second.name and real(first) == real(second)
