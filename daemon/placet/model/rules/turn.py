"""View of the rules on a conversation: the user's last text, and the tool calls since."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placet.core.messages import (
    FilePart,
    Message,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolPending,
    ToolRunning,
    UserMessage,
)
from placet.model.rules.script import Result, Results, Step
from placet.project.paths import from_uri

_LISTING_TOOLS = ("grep", "glob")


@dataclass(frozen=True, slots=True)
class Turn:
    id: str
    prompt: str
    attached: tuple[str, ...]
    """Paths of the files which the user attached to the prompt."""
    results: Mapping[str, Result]
    """Results by call id; unfinished calls have no entry."""

    def call_id(self, step: int, index: int) -> str:
        """Return the id of a step's call: the same id each time, and unique in the conversation."""
        return f"call_{self.id.removeprefix('msg_')}_{step}_{index}"

    def results_of(self, number: int, step: Step) -> Results | None:
        """Return the results of the n-th step's calls, or None if the step has not been taken."""
        ids = [self.call_id(number, index) for index in range(len(step.calls))]
        if not any(id in self.results for id in ids):
            return None
        return tuple(self.results.get(id, Result(ok=False, text="The call was never run.")) for id in ids)


def last_turn(messages: Sequence[Message], system: Sequence[str] = ()) -> Turn | None:
    """Return the turn of the last message with a text of the user, or None without such a message.

    `system` is the system prompt: if the prompt names the project's folder, paths in results become relative to it.
    """
    root = _root(system)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, UserMessage) and (prompt := _prompt_text(message)):
            return Turn(message.id, prompt, _attached(message), _results(messages[index + 1 :], root))
    return None


def _prompt_text(message: UserMessage) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart) and not part.synthetic).strip()


def _attached(message: UserMessage) -> tuple[str, ...]:
    paths = (from_uri(part.uri) for part in message.parts if isinstance(part, FilePart))
    return tuple(str(path) for path in paths if path is not None)


def _root(system: Sequence[str]) -> str:
    """Return the folder where relative paths start, with its separator, or an empty string if the prompt names no
    folder.
    """
    match = re.search(r"^Folders of the project.*:\n  (.+)$", "\n".join(system), re.MULTILINE)
    return os.path.join(match[1], "") if match else ""  # noqa: PTH118


def _results(messages: Sequence[Message], root: str) -> dict[str, Result]:
    parts = (part for message in messages for part in message.parts if isinstance(part, ToolPart))
    return {part.call_id: result for part in parts if (result := _result(part, root)) is not None}


def _result(part: ToolPart, root: str) -> Result | None:
    match part.state:
        case ToolCompleted(output=output):
            return Result(ok=True, text=_relative(output, root) if part.tool in _LISTING_TOOLS else output)
        case ToolFailed(error=error):
            return Result(ok=False, text=error)
        case ToolPending() | ToolRunning():
            return None


def _relative(output: str, root: str) -> str:
    """Return the output with relative paths; a path stands at the start of a line, and the text of a hit never does."""
    return re.sub(rf"^{re.escape(root)}", "", output, flags=re.MULTILINE) if root else output
