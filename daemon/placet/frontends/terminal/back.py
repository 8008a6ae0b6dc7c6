"""`placet back`: go back to an earlier prompt of a session in talk and files, and forward again."""

import argparse
import sys

from placet.core.errors import RequestError
from placet.core.messages import prompt_text
from placet.core.visible_text import one_line
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_json, say_text
from placet.frontends.terminal.run.keyboard import read_line
from placet.frontends.terminal.user_decision import decided_by_user
from placet.project.paths import Workspace
from placet.sessions.going_back.acts import What
from placet.sessions.going_back.back_text import (
    find_prompt,
    outcome_lines,
    preview_lines,
    prompt_line,
    prompts_of,
)
from placet.sessions.going_back.going_back import BackPreview, WentBack
from placet.sessions.registry import Sessions
from placet.sessions.session import Session


async def back(options: argparse.Namespace) -> ExitCode:
    """Run the command; a failure is a message on stderr and an exit code."""

    async def run(sessions: Sessions, workspace: Workspace) -> ExitCode:
        return await _run(await _session(sessions, options.session), options, workspace)

    return await decided_by_user(options, run)


async def _session(sessions: Sessions, session_id: str | None) -> Session:
    """Return the session: the given session, or the last session here. Raises RequestError without a session."""
    if session_id is not None:
        return await sessions.load(await sessions.whole_id(session_id))
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
    prompt = find_prompt(prompts_of(session.messages), options.prompt, "placet back")
    what: What = "talk" if options.talk else "files" if options.files else "all"
    preview = await session.going_back.preview(prompt.id, what)
    if options.json:
        say_json(_data(preview))
        return ExitCode.DONE
    for line in preview_lines(preview, prompt, what, workspace):
        say(line)
    if options.preview or not (options.yes or await _is_confirmed()):
        return ExitCode.DONE
    went = await session.going_back.go(prompt.id, what)
    code = _tell(went, workspace)
    if text := prompt_text(went.parts):
        say("The prompt, to be edited and sent again:", to_stderr=True)
        say_text(text)
    return code


def _list(session: Session, options: argparse.Namespace) -> None:
    prompts = prompts_of(session.messages)
    if options.json:
        say_json(
            [{"id": prompt.id, "created": prompt.created, "text": prompt_text(prompt.parts)} for prompt in prompts]
        )
        return
    say(f"Prompts of {one_line(session.info.title)!r} ({session.info.id}):")
    for number, prompt in enumerate(prompts, start=1):
        say(f"  {number:3}  {prompt_line(prompt)}")
    if session.info.back_to is not None:
        say("Later prompts are hidden; `placet back --redo` brings the prompts back.")
    elif session.info.files_back:
        say("The files went back and the talk stayed; `placet back --redo` brings the files forth again.")


async def _is_confirmed() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        complain("nothing was changed: confirm with --yes")
        return False
    try:
        return (await read_line("Go back? [y/n] ")).strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _tell(went: WentBack, workspace: Workspace) -> ExitCode:
    for line in outcome_lines(went, workspace):
        say(line)
    return ExitCode.FAILED if any(file.status == "conflict" for file in went.files) else ExitCode.DONE


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
