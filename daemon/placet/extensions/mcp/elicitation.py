"""A server's questions to the user, as questions of Placet, and the answers in the server's form. Pure."""

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from placet.core.messages import JsonObject
from placet.core.ports import Question, QuestionOption

YES, NO = "Yes", "No"
ACCEPT, DECLINE = "Accept", "Decline"
OPEN = "Open in the browser"
OPENED = "I have opened it"
ACCEPTED = ([OPEN], [OPENED])
"""Answers that accept a task in the browser."""
MOST_FIELDS = 20
MOST_HEADER = 30
MOST_TEXT = 2000


class WrongAnswer(ValueError):
    """Error for an answer that does not fit the field; the text gives the reason."""


def questions(server: str, message: str, schema: JsonObject, wrong: str = "") -> list[Question]:
    """Return a question for each property of the schema (objects of plain values: MCP's "form").

    A schema without properties gives a question to accept or decline. Raises ValueError for a schema with more fields
    than a person should be asked for.
    """
    asked = f"The MCP server {server} asks: {message[:MOST_TEXT]}"
    asked = f"{wrong} {asked}" if wrong else asked
    fields = _fields(schema)
    if not fields:
        return [Question(_header(server), asked, (QuestionOption(ACCEPT), QuestionOption(DECLINE)), custom=False)]
    if len(fields) > MOST_FIELDS:
        raise ValueError(f"it asks for {len(fields)} things at once")
    required = schema.get("required", ())
    return [_question(asked, name, field, is_required=name in required) for name, field in fields.items()]


def address_question(server: str, message: str, url: str) -> Question:
    """Return the question for a task in a browser. The user sees the whole address, and opens the address or not.

    Raises ValueError for an address that cannot be shown as the address is.
    """
    host = urlsplit(url).hostname if url.startswith(("https://", "http://")) else None
    if host is None:
        raise ValueError("only addresses of the web can be opened")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("the address holds characters that an address does not have")
    text = f"The MCP server {server} asks you to open {url} in your browser: {message[:MOST_TEXT]}"
    return Question(_header(server), text, _browser_options(url), custom=False)


def rights_question(server: str, scope: str, url: str) -> Question:
    """Return the question for a call that needs more rights than the sign-in has.

    The user opens or declines the address.
    """
    text = (
        f"The MCP server {server} needs more rights for this call ({scope}). To grant them, open {url} in your browser."
    )
    return Question(_header(server), text, _browser_options(url), custom=False)


def _browser_options(url: str) -> tuple[QuestionOption, ...]:
    opening = QuestionOption(OPEN, f"Opens a page of {urlsplit(url).hostname}.", opens=url)
    return opening, QuestionOption(OPENED), QuestionOption(DECLINE)


def content(schema: JsonObject, answers: Sequence[Sequence[str]]) -> dict[str, Any] | None:
    """Return the answers by property, or None if the user declines. Raises WrongAnswer."""
    fields = _fields(schema)
    if not fields:
        return {} if answers and list(answers[0]) == [ACCEPT] else None
    required = schema.get("required", ())
    given: dict[str, Any] = {}
    for (name, field), answer in zip(fields.items(), answers, strict=False):
        words = [word.strip() for word in answer if word.strip()] or _default(field)
        if words:
            given[name] = _value(name, field, words)
        elif name in required:
            raise WrongAnswer(f"`{name}` is needed.")
    if missing := [name for name in required if name in fields and name not in given]:
        raise WrongAnswer(f"`{missing[0]}` is needed.")
    return given


def _fields(schema: JsonObject) -> Mapping[str, JsonObject]:
    properties = schema.get("properties")
    return {name: field for name, field in properties.items() if isinstance(field, dict)} if properties else {}


def _question(asked: str, name: str, field: JsonObject, *, is_required: bool) -> Question:
    title, about = str(field.get("title") or name), str(field.get("description") or "")
    choices, default = _choices(field), _default(field)
    labels = (YES, NO) if field.get("type") == "boolean" else tuple(choices) or tuple(default)
    options = tuple(QuestionOption(label, "The default." if label in default else "") for label in labels)
    kind = {"integer": "a whole number", "number": "a number"}.get(str(field.get("type")), str(field.get("format", "")))
    unanswered = f"default: {', '.join(default)}" if default else "" if is_required else "optional"
    notes = ", ".join(note for note in (kind, unanswered) if note)
    text = f"{asked}\n{title}{f': {about}' if about else ''}{f' ({notes})' if notes else ''}"
    is_closed = bool(choices) or field.get("type") == "boolean"
    return Question(_header(title), text, options, multiple=field.get("type") == "array", custom=not is_closed)


def _header(text: str) -> str:
    return text if len(text) <= MOST_HEADER else f"{text[: MOST_HEADER - 1]}…"


def _choices(field: JsonObject) -> dict[str, Any]:
    """Return the field's choices by label: from `enum`, or from titled `oneOf` and `anyOf`."""
    if field.get("type") == "array":
        items = field.get("items")
        return _choices(items) if isinstance(items, dict) else {}
    if titled := field.get("oneOf") or field.get("anyOf"):
        return {
            str(choice.get("title", choice.get("const"))): choice.get("const")
            for choice in titled
            if isinstance(choice, dict)
        }
    values = field.get("enum") or ()
    names = field.get("enumNames") or values
    return {str(name): value for name, value in zip(names, values, strict=False)}


def _default(field: JsonObject) -> list[str]:
    """Return the field's default in the words of an answer (SEP-1034), or an empty list where no default is usable."""
    if "default" not in field:
        return []
    default, choices = field["default"], _choices(field)
    values = default if isinstance(default, list) else [default]
    words = (
        [label for label, value in choices.items() if any(_is_same(value, one) for one in values)]
        if choices
        else list(map(_word, values))
    )
    try:
        return words if words and _is_same(_value("", field, words), default) else []
    except WrongAnswer:
        return []


def _word(value: Any) -> str:
    """Return a JSON value as the user would write it; `5.0` is a whole number in JSON, and is written `5`."""
    if isinstance(value, bool):
        return YES if value else NO
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_same(value: Any, other: Any) -> bool:
    """Return whether two JSON values are the same; in Python `True` equals 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _value(name: str, field: JsonObject, words: list[str]) -> Any:
    choices = _choices(field)
    if choices:
        if unknown := [word for word in words if word not in choices]:
            raise WrongAnswer(f"`{name}` cannot be {unknown[0]}.")
        chosen = [choices[word] for word in words]
        return chosen if field.get("type") == "array" else chosen[0]
    match field.get("type"):
        case "boolean":
            return words[0] == YES
        case "integer" | "number" as kind:
            try:
                number = int(words[0]) if kind == "integer" else float(words[0])
            except ValueError:
                number = math.nan
            if isinstance(number, float) and not math.isfinite(number):  # JSON has no such numbers.
                raise WrongAnswer(f"`{name}` has to be a number.")
            return number
        case "array":
            return words
        case _:
            return words[0]
