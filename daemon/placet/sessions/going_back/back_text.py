"""Texts about going back for the user, in front ends that show the preview and the outcome as lines of text."""

from collections.abc import Sequence

from placet.changes.undo.revert import UndoneFile, UndoPreview
from placet.core.errors import RequestError
from placet.core.messages import Message, UserMessage, prompt_text
from placet.core.visible_text import one_line, shortened, spelled_out
from placet.project.paths import Workspace
from placet.sessions.going_back.acts import What
from placet.sessions.going_back.going_back import BackPreview, WentBack
from placet.text.counted import counted

LONGEST_PROMPT = 100
"""Most characters of a prompt on a line."""


SHARES: dict[str, What] = {"": "all", "talk": "talk", "files": "files"}
"""Words behind the prompt of `/back`."""
HOW = "`/back N` goes back in talk and files, `/back N talk` in the talk alone, `/back N files` in the files alone."


def share_of(words: Sequence[str]) -> What:
    """Return what the words behind the prompt of `/back` name. Raises RequestError."""
    if (what := SHARES.get(" ".join(words))) is None:
        raise RequestError(f"`/back` knows `talk`, `files` and `redo`, and not `{' '.join(words)}`.")
    return what


def prompts_of(messages: Sequence[Message]) -> list[UserMessage]:
    return [message for message in messages if isinstance(message, UserMessage)]


def find_prompt(prompts: Sequence[UserMessage], name: str, lister: str) -> UserMessage:
    """Return the prompt with this id, or with this number in the list, which the command `lister` shows.

    Raises RequestError.
    """
    for number, prompt in enumerate(prompts, start=1):
        if name in (prompt.id, str(number)):
            return prompt
    raise RequestError(f"The session has no prompt `{name}`. `{lister}` lists the prompts.")


def prompt_line(prompt: UserMessage) -> str:
    return shortened(one_line(prompt_text(prompt.parts)), LONGEST_PROMPT)


def preview_lines(preview: BackPreview, prompt: UserMessage, what: What, workspace: Workspace) -> list[str]:
    """Return the lines about the effect of going back to the prompt."""
    lines = [f"Back to: {prompt_line(prompt)}"]
    if what != "files":
        lines.append(f"  hides {counted(preview.prompts, 'prompt')} with the answers")
    lines += [f"  {file_line(file, workspace)}" for file in preview.files]
    lines += [f"  leaves the changes to review: {spelled_out(workspace.relative(path))}" for path in preview.staged]
    if preview.effects:
        lines += ["What stays:", *(f"  {one_line(effect.text)}" for effect in preview.effects)]
    return lines


def outcome_lines(went: WentBack, workspace: Workspace) -> list[str]:
    """Return the lines about the files after going back, or after a redo."""
    changed = [f"changed in the changes to review: {spelled_out(workspace.relative(path))}" for path in went.staged]
    return [file_line(file, workspace) for file in went.files] + changed


def file_line(file: UndoPreview | UndoneFile, workspace: Workspace) -> str:
    """Return a line about the effect of an undo on a file."""
    counts = f"  +{file.additions} -{file.deletions}" if isinstance(file, UndoPreview) and not file.reason else ""
    reason = f"  {one_line(file.reason)}" if file.reason else ""
    return f"{file.status:10} {spelled_out(workspace.relative(file.path))}{counts}{reason}"
