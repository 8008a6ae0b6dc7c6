"""`placet back`: go back to an earlier prompt of a session in talk and files, and forward again."""

import argparse
import sys
from collections.abc import Sequence

from placet.changes.undo.revert import UndoneFile, UndoPreview
from placet.core.errors import RequestError
from placet.core.messages import TextPart, UserMessage
from placet.core.visible_text import one_line, shortened, spelled_out
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_json, say_text
from placet.frontends.terminal.run.keyboard import read_line
from placet.frontends.terminal.user_decision import decided_by_user
from placet.project.paths import Workspace
from placet.sessions.going_back.acts import What
from placet.sessions.going_back.going_back import BackPreview, WentBack
from placet.sessions.registry import Sessions
from placet.sessions.session import Session

LONGEST_PROMPT = 100
"""Most characters of a prompt in the list."""


async def back(options: argparse.Namespace) -> ExitCode:
    """Run the command; a failure is a message on stderr and an exit code."""

    async def run(sessions: Sessions, workspace: Workspace) -> ExitCode:
        return await _run(await _session(sessions, options.session), options, workspace)

    return await decided_by_user(options, run)


async def _session(sessions: Sessions, session_id: str | None) -> Session:
    """Return the session: the given session, or the last session here. Raises RequestError without a session."""
    if session_id is not None:
        return await sessions.load(session_id)
    infos, _ = await sessions.list(limit=1)
    if not infos:
        raise RequestError("There is no session for this directory yet.")
    return await sessions.load(infos[0].id)


async def _run(session: Session, options: argparse.Namespace, workspace: Workspace) -> ExitCode:
    if options.redo:
        return _tell(await session.going_back.redo(), workspace)
    if options.prompt is None:
        _list(session, options)
        return ExitCode.DONE
    prompt = _find(_prompts(session), options.prompt)
    what: What = "talk" if options.talk else "files" if options.files else "all"
    preview = await session.going_back.preview(prompt.id, what)
    if options.json:
        say_json(_data(preview))
        return ExitCode.DONE
    _show(preview, prompt, what, workspace)
    if options.preview or not (options.yes or await _is_confirmed()):
        return ExitCode.DONE
    went = await session.going_back.go(prompt.id, what)
    code = _tell(went, workspace)
    if text := _text(went.parts):
        say("The prompt, to be edited and sent again:", to_stderr=True)
        say_text(text)
    return code


def _prompts(session: Session) -> list[UserMessage]:
    return [message for message in session.messages if isinstance(message, UserMessage)]


def _find(prompts: Sequence[UserMessage], name: str) -> UserMessage:
    """Return the prompt with this id, or with this number in the list. Raises RequestError."""
    for number, prompt in enumerate(prompts, start=1):
        if name in (prompt.id, str(number)):
            return prompt
    raise RequestError(f"The session has no prompt `{name}`. `placet back` lists the prompts.")


def _list(session: Session, options: argparse.Namespace) -> None:
    prompts = _prompts(session)
    if options.json:
        say_json([{"id": prompt.id, "created": prompt.created, "text": _text(prompt.parts)} for prompt in prompts])
        return
    say(f"Prompts of {one_line(session.info.title)!r} ({session.info.id}):")
    for number, prompt in enumerate(prompts, start=1):
        say(f"  {number:3}  {shortened(one_line(_text(prompt.parts)), LONGEST_PROMPT)}")
    if session.info.back_to is not None:
        say("Later prompts are hidden; `placet back --redo` brings the prompts back.")


def _show(preview: BackPreview, prompt: UserMessage, what: What, workspace: Workspace) -> None:
    say(f"Back to: {shortened(one_line(_text(prompt.parts)), LONGEST_PROMPT)}")
    if what != "files":
        say(f"  hides {preview.prompts} {'prompt' if preview.prompts == 1 else 'prompts'} with the answers")
    for file in preview.files:
        say(f"  {_summary(file, workspace)}")
    for path in preview.staged:
        say(f"  leaves the changes to review: {spelled_out(workspace.relative(path))}")
    if preview.effects:
        say("What stays:")
        for effect in preview.effects:
            say(f"  {one_line(effect.text)}")


async def _is_confirmed() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        complain("nothing was changed: confirm with --yes")
        return False
    try:
        return (await read_line("Go back? [y/n] ")).strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _tell(went: WentBack, workspace: Workspace) -> ExitCode:
    for file in went.files:
        say(_summary(file, workspace))
    for path in went.staged:
        say(f"changed in the changes to review: {spelled_out(workspace.relative(path))}")
    return ExitCode.FAILED if any(file.status == "conflict" for file in went.files) else ExitCode.DONE


def _summary(file: UndoPreview | UndoneFile, workspace: Workspace) -> str:
    counts = f"  +{file.additions} -{file.deletions}" if isinstance(file, UndoPreview) and not file.reason else ""
    reason = f"  {one_line(file.reason)}" if file.reason else ""
    return f"{file.status:10} {spelled_out(workspace.relative(file.path))}{counts}{reason}"


def _text(parts: Sequence[object]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, TextPart) and not part.synthetic)


def _data(preview: BackPreview) -> dict[str, object]:
    return {
        "files": [
            {"path": str(file.path), "status": file.status, "additions": file.additions, "deletions": file.deletions}
            | ({"reason": file.reason} if file.reason else {})
            for file in preview.files
        ],
        "staged": [str(path) for path in preview.staged],
        "prompts": preview.prompts,
        "effects": [{"kind": effect.kind, "text": effect.text} for effect in preview.effects],
    }
