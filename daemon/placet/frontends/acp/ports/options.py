"""Options of permission requests and of questions, and the meaning of the client's choice."""

from typing import Any, cast

from placet.core.ports import PermissionAnswer, PermissionRequest, Question, QuestionOption, Scope
from placet.core.visible_text import one_line, shortened
from placet.frontends.acp.protocol.updates import Content, PermissionOption, Text, ToolCallFields
from placet.sessions.services.config_watcher import TRUST

CHOOSE_HUNKS, GIVE_REASON = "hunks", "reason"
"""Ids of the options that lead to a form."""
MOST_PATTERNS = 120
"""Characters of the patterns named by an option."""

_SCOPES: tuple[tuple[Scope, str], ...] = (("project", "in this project"), ("session", "in this session"))
"""Scopes on offer, the widest first. The scope `user` is given by other doors."""


def permission_options(
    request: PermissionRequest, *, chooses_hunks: bool = False, gives_reason: bool = False
) -> tuple[PermissionOption, ...]:
    """Return one option of each kind, as clients may show the kind alone, and the options that lead to a form.

    The first option allows this once: an automatic approver takes the first.
    """
    options = [PermissionOption("once", "Allow", "allow_once")]
    widest = [*always_words(request).items()][:1]
    options += [PermissionOption(f"always:{scope}", words, "allow_always") for scope, words in widest]
    if chooses_hunks:
        options.append(PermissionOption(CHOOSE_HUNKS, "Choose hunks…", "allow_once"))
    options.append(PermissionOption("reject", "Reject", "reject_once"))
    if gives_reason:
        options.append(PermissionOption(GIVE_REASON, "Reject and say why…", "reject_once"))
    return tuple(options)


def always_words(request: PermissionRequest) -> dict[Scope, str]:
    """Return the offered scopes of an answer that is remembered, the widest first, each in words with the patterns."""
    offers = {offer.scope: offer for offer in request.always}
    return {
        scope: f"Always allow {shortened(one_line(', '.join(offers[scope].patterns)), MOST_PATTERNS)} {words}"
        for scope, words in _SCOPES
        if scope in offers
    }


def permission_answer(request: PermissionRequest, result: Any) -> PermissionAnswer:
    """Return the user's answer; anything but an offered and allowing option is a rejection."""
    chosen = chosen_option(result)
    if chosen not in {option.option_id for option in permission_options(request)}:
        return PermissionAnswer("reject")
    match chosen:
        case "once":
            return PermissionAnswer("once")
        case "always:project":
            return PermissionAnswer("always", scope="project")
        case "always:session":
            return PermissionAnswer("always", scope="session")
        case _:
            return PermissionAnswer("reject")


def chosen_option(result: Any) -> str | None:
    """Return the id of the user's option; None for a dismissed request."""
    outcome: Any = cast("dict[str, Any]", result).get("outcome") if isinstance(result, dict) else None
    if not isinstance(outcome, dict):
        return None
    fields = cast("dict[str, Any]", outcome)
    chosen = fields.get("optionId")
    return chosen if fields.get("outcome") == "selected" and isinstance(chosen, str) else None


def can_be_asked(question: Question) -> bool:
    """Return whether the question is a choice of a single option, which a permission request can put."""
    return bool(question.options) and not question.multiple and not question.secret


def question_call(question: Question, call_id: str) -> ToolCallFields:
    """Return the tool call under which the client shows a question."""
    lines = [question.question, *(f"- {option.label}: {option.description}" for option in question.options)]
    title = one_line(question.question.partition("\n")[0])
    return ToolCallFields(
        tool_call_id=call_id, title=title, kind="other", status="pending", content=(Content(Text("\n".join(lines))),)
    )


def question_options(question: Question) -> tuple[PermissionOption, ...]:
    """Return an option for each choice, and an option to decline."""
    numbers = {option: number for number, option in enumerate(question.options)}
    choices = [
        PermissionOption(f"choice:{numbers[option]}", one_line(option.label), "allow_once")
        for option in ordered_options(question)
    ]
    return (*choices, PermissionOption("decline", "Decline to answer", "reject_once"))


def ordered_options(question: Question) -> tuple[QuestionOption, ...]:
    """Return the choices as shown: the choice that trusts a project comes last, as an automatic approver takes the
    first choice.
    """
    trusts = bool(question.options) and question.options[0].label == TRUST
    return question.options[::-1] if trusts else question.options


def question_answer(question: Question, result: Any) -> str | None:
    """Return the label of the chosen option; None if the user declined."""
    kind, _, number = (chosen_option(result) or "").partition(":")
    if kind != "choice" or not number.isdecimal() or int(number) >= len(question.options):
        return None
    return question.options[int(number)].label
