"""Execution of a command of the ACP front end; the result is text for the user."""

from collections.abc import Awaitable, Callable, Sequence

from placet.agent.commands.template import CommandCall, words_of
from placet.changes.undo.revert import UndoneFile
from placet.core.errors import PlacetError
from placet.core.messages import prompt_text
from placet.core.ports import Question, QuestionOption
from placet.frontends.acp.commands.review import decide, list_changes
from placet.frontends.acp.updates.tool_calls import fenced
from placet.project.paths import Workspace
from placet.sessions.going_back.back_text import (
    HOW,
    file_line,
    find_prompt,
    outcome_lines,
    preview_lines,
    prompt_line,
    prompts_of,
    share_of,
)
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.sessions.session_text import cost_lines, job_lines, permission_texts, renamed

STILL_SHOWN = "This window still shows the later messages; Placet and the model no longer see the later messages."
GO, STAY = "Go back to here", "Stay"

Ask = Callable[[Sequence[Question]], Awaitable[list[list[str]] | None]]
"""Function that asks the user. Raises NobodyToAsk."""


async def carried_out(
    call: CommandCall,
    session: Session,
    sessions: Sessions,
    workspace: Workspace,
    ask: Ask,
    status: Callable[[Session], Awaitable[str]],
    tell: Callable[[str], None],
) -> str:
    """Carry out the command, and return the words for the user; a failure is told in words too.

    `status` returns the words of `/status`, and `tell` tells the user what a long wait waits for.
    """
    try:
        match call.name:
            case "status":
                return await status(session)
            case "cost":
                return fenced("\n".join(cost_lines((await sessions.info(session.info.id)).usage)))
            case "permissions":
                return fenced("\n".join(await permission_texts(sessions, session.info.id)))
            case "jobs":
                return fenced("\n".join(job_lines(session.jobs)))
            case "rename":
                return await renamed(session, call.arguments)
            case "changes":
                return await list_changes(session, workspace)
            case "accept":
                return await decide(session, workspace, "accept", call.arguments, tell)
            case "reject":
                return await decide(session, workspace, "reject", call.arguments, tell)
            case "undo":
                return await _taken_back(session, session.undo, workspace)
            case "redo":
                return await _taken_back(session, session.redo, workspace)
            case "compact":
                part = await session.compact()
                return f"The conversation was summed up: {part.tokens_before} tokens became {part.tokens_after}."
            case "back":
                return await _back(call.arguments, session, workspace, ask)
            case name:
                raise AssertionError(f"not a command of the front end: {name}")
    except PlacetError as error:
        return error.with_hint


async def _taken_back(
    session: Session, take_back: Callable[[], Awaitable[list[UndoneFile]]], workspace: Workspace
) -> str:
    """Run an undo or a redo. Raises RequestError, EditError, StoreError."""
    files = await take_back()
    await session.change_set.follow_undo()
    return fenced("\n".join(file_line(file, workspace) for file in files))


async def _back(arguments: str, session: Session, workspace: Workspace, ask: Ask) -> str:
    """List the prompts, go back to a prompt after a question to the user, or go forward again. Raises PlacetError."""
    words = words_of(arguments)
    if words == ["redo"]:
        went = await session.going_back.redo()
        return "\n\n".join(["Forward again.", *_fenced(outcome_lines(went, workspace))])
    prompts = prompts_of(session.messages)
    if not words:
        lines = [f"{number:3}  {prompt_line(prompt)}" for number, prompt in enumerate(prompts, start=1)]
        hidden = ["Later prompts are hidden; `/back redo` brings the prompts back."] if session.info.back_to else []
        return "\n\n".join(["Prompts of this session:", *_fenced(lines), HOW, *hidden])
    prompt = find_prompt(prompts, words[0], "/back")
    what = share_of(words[1:])
    preview = preview_lines(await session.going_back.preview(prompt.id, what), prompt, what, workspace)
    question = Question("Go back?", "\n".join(preview), (QuestionOption(GO), QuestionOption(STAY)), custom=False)
    if await ask([question]) != [[GO]]:
        return "Nothing was changed."
    went = await session.going_back.go(prompt.id, what)
    texts = ["Went back. `/back redo` goes forward again, until the next prompt."]
    texts += _fenced(outcome_lines(went, workspace))
    texts += [] if what == "files" else [STILL_SHOWN]
    if words_of_prompt := prompt_text(went.parts):
        texts += ["The prompt, to be edited and sent again:", fenced(words_of_prompt)]
    return "\n\n".join(texts)


def _fenced(lines: Sequence[str]) -> list[str]:
    return [fenced("\n".join(lines))] if lines else []
