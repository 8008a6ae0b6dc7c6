"""Progress of a turn in the profile `smallest`, read from the conversation alone. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from placet.agent.context.history import opens_turn
from placet.core.messages import (
    AssistantMessage,
    FilePart,
    Message,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    UserMessage,
)
from placet.languages.grammar import language_of
from placet.languages.syntax import syntax_errors
from placet.model.rules.outputs import Hit, parse_bash, parse_grep, parse_read
from placet.project.paths import from_uri

Step = Literal["grep", "read", "write", "bash", "other"]
LONGEST_PROBLEM = 1500
"""Characters of the words about a failed try."""
MOST_ERRORS = 5
LONGEST_OUTPUT = 4000
"""Characters of the result of a call that is no part of the work of this profile."""
_NEW_ERRORS = re.compile(r"^Diagnostics \(.*\berrors?\b[^.]*\b(?:new|now)\b", re.MULTILINE)


class Progress(Struct, frozen=True):
    """Work of the turn so far."""

    turn_id: str
    prompt: str
    """The user's words, with the words by which the user steered."""
    attached: tuple[str, ...]
    """Paths of attached files."""
    calls: tuple[tuple[ToolPart, ...], ...]
    """Calls of each step since the user's last words."""

    @property
    def last(self) -> Step | None:
        """Return the kind of the last step."""
        return None if not self.calls else _kind(self.calls[-1])

    @property
    def tries(self) -> int:
        """Return the number of answers of which Placet has made changes."""
        return sum(_kind(calls) == "write" for calls in self.calls)

    def texts(self) -> dict[str, str]:
        """Return the files that the turn has read whole, as read last, by the path of the call."""
        texts: dict[str, str] = {}
        for part in self._parts("read"):
            path = _path_of(part)
            texts.pop(path, None)
            if isinstance(part.state, ToolCompleted) and (text := _whole_text(part.state.output)) is not None:
                texts[path] = text
        return texts

    def tried(self) -> tuple[str, ...]:
        """Return the paths that the turn has read or written, the first first."""
        return tuple(dict.fromkeys(_path_of(part) for kind in ("read", "write") for part in self._parts(kind)))

    def found(self) -> tuple[Hit, ...]:
        """Return the hits of the search."""
        outputs = [part.state.output for part in self._parts("grep") if isinstance(part.state, ToolCompleted)]
        return tuple(hit for output in outputs for hit in parse_grep(output).hits)

    def summary(self) -> str:
        """Return the outcome of the last changes, in words for the user."""
        last = next((calls for calls in reversed(self.calls) if _kind(calls) in ("write", "other")), ())
        return "\n".join(filter(None, map(_outcome, last)))

    def is_written(self) -> bool:
        """Return whether all changes of the last step stand in the files."""
        return bool(self.calls) and all(_is_written(part) for part in self.calls[-1])

    def problem(self) -> str:
        """Return what is wrong after the last change or test, in words for the model; empty if nothing is known."""
        last = next((calls for calls in reversed(self.calls) if _kind(calls) in ("write", "bash")), ())
        return "\n".join(filter(None, map(_problem, last)))[-LONGEST_PROBLEM:]

    def is_about_changes(self) -> bool:
        """Return whether the problem is of the changes: tests may have failed before, for another reason."""
        if self.last != "bash":
            return True
        names = {_path_of(part).rpartition("/")[2] for part in self._parts("write")}
        return any(name in self.problem() for name in names)

    def _parts(self, tool: Step) -> Iterator[ToolPart]:
        return (part for calls in self.calls for part in calls if part.tool == tool)


def progress_of(messages: Sequence[Message]) -> Progress | None:
    """Return the progress of the turn that the messages end with, or None without a prompt of the user."""
    at = next((at for at in range(len(messages) - 1, -1, -1) if opens_turn(messages[at])), None)
    if at is None:
        return None
    turn = messages[at:]
    prompts = [message for message in turn if isinstance(message, UserMessage)]
    texts = [
        part.text for prompt in prompts for part in prompt.parts if isinstance(part, TextPart) and not part.synthetic
    ]
    uris = [part.uri for prompt in prompts for part in prompt.parts if isinstance(part, FilePart)]
    paths = [path for path in map(from_uri, uris) if path is not None]
    last_words = max(
        index for index, message in enumerate(turn) if isinstance(message, UserMessage) and _speaks(message)
    )
    answers = [message for message in turn[last_words:] if isinstance(message, AssistantMessage)]
    calls = [tuple(part for part in message.parts if isinstance(part, ToolPart)) for message in answers]
    return Progress(
        messages[at].id, "\n".join(texts).strip(), tuple(map(str, paths)), tuple(made for made in calls if made)
    )


def _speaks(message: UserMessage) -> bool:
    """Return whether the message has words of the user, or opens the turn."""
    return message.steers is None or any(isinstance(part, TextPart) and not part.synthetic for part in message.parts)


def _kind(calls: Sequence[ToolPart]) -> Step:
    match calls[0].tool:
        case "grep" | "read" | "write" | "bash" as kind:
            return kind
        case _:
            return "other"  # The call with which a command of the user opens the turn.


def _path_of(part: ToolPart) -> str:
    path = part.state.input.get("filePath")
    return path if isinstance(path, str) else ""


def _whole_text(output: str) -> str | None:
    """Return the text of a file that was shown whole, or None."""
    page = parse_read(output)
    if page is None or page.next_offset is not None or page.why_not_editable or "(See the rest of a cut line" in output:
        return None
    return "".join(f"{line}\n" for line in page.lines.values())


def _outcome(part: ToolPart) -> str:
    match part.state:
        case ToolCompleted(output=output) if part.tool != "write":
            return output[:LONGEST_OUTPUT]
        case ToolCompleted(metadata=metadata):
            return str(metadata.get("summary", ""))
        case ToolFailed(error=error):
            return f"{_path_of(part)}: not changed. {error}"
        case _:
            return ""


def _is_written(part: ToolPart) -> bool:
    if not isinstance(part.state, ToolCompleted):
        return False
    files = part.state.metadata.get("files")
    return isinstance(files, list) and all(file.get("status") == "applied" for file in files)


def _problem(part: ToolPart) -> str:
    match part.state:
        case ToolFailed(error=error):
            return error
        case ToolCompleted(output=output) if part.tool == "bash":
            ran = parse_bash(output)
            return "" if ran.exit_code == 0 else f"The tests fail:\n{ran.text.strip()[-LONGEST_PROBLEM:]}"
        case ToolCompleted(output=output) if (found := _NEW_ERRORS.search(output)) is not None:
            return output[found.start() :]
        case ToolCompleted(input=arguments) if part.tool == "write":
            return _syntax_problem(_path_of(part), str(arguments.get("content", "")))
        case _:
            return ""


def _syntax_problem(path: str, text: str) -> str:
    """Return the syntax errors of a text that stood before the last try as well, so that no difference tells them."""
    language = language_of(path)
    errors = [] if language is None else syntax_errors(text, language)
    return "\n".join(f"{path}:{error.line + 1}: {error.message}" for error in errors[:MOST_ERRORS])
