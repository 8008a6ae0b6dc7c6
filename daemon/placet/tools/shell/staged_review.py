"""Question about staged files before a command that cannot see the files, as the command runs on the disk."""

from collections.abc import Sequence
from pathlib import Path

from placet.core.errors import NobodyToAsk, Rejected, ToolError
from placet.core.ports import OptionalQuestion, QuestionOption
from placet.core.visible_text import command_title, spelled_out
from placet.text.counted import counted
from placet.tools.framework.context import ToolContext

ACCEPT = "Accept all and run"
WITHOUT = "Run without them"
REVIEW = "Review"
MOST_NAMED = 10
_OPTIONS = (
    QuestionOption(ACCEPT, "Write the staged changes, then run the command."),
    QuestionOption(WITHOUT, "Run the command on the files as they are on the disk."),
    QuestionOption(REVIEW, "Let the command wait until you have decided all of the changes."),
)


async def review_before(context: ToolContext, line: str, staged: Sequence[Path]) -> None:
    """Return when the command may run: the user has accepted the staged files, has decided about each file, or wants
    the command to run without the files. Without anybody to ask, the command runs without the files.

    Raises Rejected where the user wants no run, ToolError where an accepted file could not be written.
    """
    if not staged:
        return
    try:
        (answer,) = await context.session.ask_user([_question(context, line, staged)])
    except NobodyToAsk:
        return
    match [words for words in answer if words.strip()]:
        case [label] if label == WITHOUT:
            return
        case [label] if label == ACCEPT:
            if failed := await context.session.accept_staged():
                reasons = "; ".join(f"{context.workspace.name(path)} ({reason})" for path, reason in failed)
                raise ToolError(f"Not run: the user accepted the staged changes, and some were not written: {reasons}")
        case [label] if label == REVIEW:
            context.metadata(title=f"Waits for the review of {_files(staged)}")
            await context.changes.staged_decided(staged)
        case words:
            raise Rejected(" ".join(words))


def _question(context: ToolContext, line: str, staged: Sequence[Path]) -> OptionalQuestion:
    names = [spelled_out(context.workspace.name(path)) for path in staged[:MOST_NAMED]]
    more = f" and {len(staged) - MOST_NAMED} more" * (len(staged) > MOST_NAMED)
    title = f"Review {_files(staged)} before `{command_title(line)}` runs"
    return OptionalQuestion("Staged changes", f"{title}: {', '.join(names)}{more}", _OPTIONS)


def _files(staged: Sequence[Path]) -> str:
    return counted(len(staged), "staged file")
