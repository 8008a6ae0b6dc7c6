"""Forms for the client's user, and the meaning of the filled-in form. Pure.

A form is a flat JSON Schema, as the protocol defines the form elicitation. The content of an answer is judged again
here: a client may send anything.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from placet.changes.review.answers import answer_by_hunks
from placet.core.hunks import Hunk
from placet.core.ports import PermissionAnswer, PermissionRequest, ProposedFile, Question, Scope
from placet.core.visible_text import one_line, shortened, spelled_out
from placet.frontends.acp.ports.options import always_words, ordered_options

Schema = dict[str, Any]
Content = Mapping[str, Any]

MOST_BOXES = 40
"""Most hunks of a form: more hunks are for an editor."""
MOST_LINES = 2_000
"""Characters of a hunk's description."""
MOST_WORDS = 10_000
"""Characters of a text from a form."""

REASON = "reason"
_HOW_LONG = "remember"


class FilledForm(NamedTuple):
    """Form as the user has left the form; `cancel` also stands for an answer that is none."""

    action: Literal["accept", "decline", "cancel"]
    content: Content


def filled_form(result: object) -> FilledForm:
    """Return the form from the client's result."""
    match result:
        case {"action": "accept", "content": dict(content)}:
            return FilledForm("accept", cast("Content", content))
        case {"action": "accept"}:
            return FilledForm("accept", {})
        case {"action": "decline"}:
            return FilledForm("decline", {})
        case _:
            return FilledForm("cancel", {})


class _Box(NamedTuple):
    """Part of a change that the user can accept by itself: a hunk, or a whole file."""

    file: ProposedFile
    hunk: Hunk | None


# ---------------------------------------------------------------- questions


def needs_form(questions: Sequence[Question]) -> bool:
    """Return whether the questions are more than one choice among options, which a permission request can put."""
    return len(questions) != 1 or not questions[0].options or questions[0].multiple or questions[0].custom


def fits_form(questions: Sequence[Question]) -> bool:
    """Return whether a form may put the questions: a secret never goes into a form."""
    return not any(question.secret for question in questions)


def questions_form(questions: Sequence[Question]) -> Schema:
    """Return the form with a property for each question, and another property for an answer in own words."""
    properties: Schema = {}
    required: list[str] = []
    for number, question in enumerate(questions):
        key = _key(number)
        properties[key] = _property(question)
        if question.options and question.custom:
            properties[_own_key(number)] = {
                "type": "string",
                "title": "Other",
                "description": "An answer in your own words",
                "_meta": {"_askUserQuestionCustomAnswer": {"questionId": key}},
            }
        elif question.options and not question.multiple:
            required.append(key)
    return _form(properties, required)


def questions_answer(questions: Sequence[Question], content: Content) -> list[list[str]]:
    """Return the labels or own words for each question; a question without a valid answer has none."""
    return [_answer(number, question, content) for number, question in enumerate(questions)]


def questions_message(questions: Sequence[Question]) -> str:
    """Return the text above the form."""
    return questions[0].question if len(questions) == 1 else f"Placet has {len(questions)} questions."


def _property(question: Question) -> Schema:
    about = {"title": one_line(question.header), "description": question.question}
    choices = [
        {"const": option.label, "title": one_line(option.label)}
        | ({"description": option.description} if option.description else {})
        for option in ordered_options(question)
    ]
    if not choices:
        return {"type": "string", **about}
    if question.multiple:
        return {"type": "array", **about, "items": {"anyOf": choices}}
    return {"type": "string", **about, "oneOf": choices}


def _answer(number: int, question: Question, content: Content) -> list[str]:
    labels = {option.label for option in question.options}
    value = content.get(_key(number))
    values: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    texts = [text for given in values if (text := _words(given))]
    chosen = [text for text in dict.fromkeys(texts) if text in labels or not labels]
    own = _words(content.get(_own_key(number))) if question.custom else ""
    if question.multiple:
        return [*chosen, own] if own else chosen
    return [own] if own else chosen[:1]


# ---------------------------------------------------------------- permission requests


def can_choose_hunks(request: PermissionRequest) -> bool:
    """Return whether the change has several parts, and not too many parts for a form."""
    return 2 <= len(_boxes(request)) <= MOST_BOXES


def hunks_form(request: PermissionRequest) -> Schema:
    """Return the form with a box for each hunk, the length of the permission, and words for the agent."""
    properties: Schema = {
        f"hunk{number}": {"type": "boolean", "title": _box_title(box), "description": _lines(box), "default": True}
        for number, box in enumerate(_boxes(request))
    }
    if offers := always_words(request):
        later = [{"const": scope, "title": words} for scope, words in offers.items()]
        properties[_HOW_LONG] = {
            "type": "string",
            "title": "Later changes",
            "oneOf": [{"const": "once", "title": "Ask again"}, *later],
            "default": "once",
        }
    return _form(properties | {REASON: _reason("Why you reject the other hunks, or other words for the agent")})


def hunks_answer(request: PermissionRequest, content: Content) -> PermissionAnswer:
    """Return the user's answer; a hunk whose box is not ticked is rejected."""
    boxes = _boxes(request)
    ticked = [box for number, box in enumerate(boxes) if content.get(f"hunk{number}") is True]
    hunks: dict[Path, set[int]] = {}
    for file, hunk in ticked:
        hunks.setdefault(file.path, set()).update(part.id for part in (file.hunks if hunk is None else (hunk,)))
    remember = content.get(_HOW_LONG)
    scope: Scope | None = next((scope for scope in always_words(request) if scope == remember), None)
    files = () if request.change is None else request.change.files
    outcome = "once" if scope is None else "always"
    return answer_by_hunks(files, hunks, outcome, scope or "session", _words(content.get(REASON)))


def reason_form() -> Schema:
    return _form({REASON: _reason("Why you reject the call, or what to do instead")})


def reason_answer(request: PermissionRequest, content: Content) -> PermissionAnswer:
    """Return the rejection of the request with the user's words."""
    return PermissionAnswer("reject", feedback=_words(content.get(REASON)))


def _boxes(request: PermissionRequest) -> list[_Box]:
    """Return the parts of the change; a delete, a plain rename and a change of bytes are accepted as a whole."""
    files = () if request.change is None else request.change.files
    boxes: list[_Box] = []
    for file in files:
        is_whole = file.kind == "delete" or file.is_raw or not file.hunks
        boxes += [_Box(file, None)] if is_whole else [_Box(file, hunk) for hunk in file.hunks]
    return boxes


def _box_title(box: _Box) -> str:
    name = spelled_out(box.file.new_name or box.file.name or str(box.file.path))
    return f"{name} ({box.file.kind})" if box.hunk is None else f"{name}:{box.hunk.new_start + 1}"


def _lines(box: _Box) -> str:
    if box.hunk is None:
        return f"The whole file: {box.file.kind}"
    return shortened("\n".join(spelled_out(line.rstrip("\n")) for line in box.hunk.signed_lines), MOST_LINES)


def _reason(description: str) -> Schema:
    return {"type": "string", "title": "Words for the agent", "description": description, "maxLength": MOST_WORDS}


# ---------------------------------------------------------------- both


def _form(properties: Schema, required: Sequence[str] = ()) -> Schema:
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


def _key(number: int) -> str:
    return f"question{number}"


def _own_key(number: int) -> str:
    return f"question{number}_own"


def _words(value: Any) -> str:
    """Return the text of a field, bounded; empty for any other value."""
    return value.strip()[:MOST_WORDS] if isinstance(value, str) else ""
