"""Unfinished mention or command at a place in a prompt, and the spelling of a chosen target at this place. Pure.

mentions.py alone decides where a mention begins, and how a finished mention is read.
"""

import re
from dataclasses import dataclass

from placet.agent.mentions.mentions import LONGEST, Reading, find_mentions
from placet.core.messages import LineRange
from placet.text.lines import split_lines

# The patterns of mentions.py, but ending at the cursor.
_MENTION = re.compile(r'(?<![\w`])@(?:"([^"\n\r]+)"(#[^\s`,]*)|"([^"\n\r]*)|((?:[^\s`,"][^\s`,]*)?))\Z')
_MENTION_REST = re.compile(r"(?:[\w/\\#~+=%&-]|\.+(?=[\w/]))*")
_NO_BLANKS = re.compile(r"\S*")
_COMMAND = re.compile(r"\s*/((?:[\w.:-][\w.:/-]*)?)\Z")
_COMMAND_REST = re.compile(r"[\w.:/-]*")
_ARGUMENT = re.compile(r"\s*/([\w.:/-]+)[ \t]+((?:\S+[ \t]+)*)(\S*)\Z")


@dataclass(frozen=True, slots=True)
class UnfinishedMention:
    """Mention being written at `text[start:end]`: the `@`, and the parts of the mention before and behind the place."""

    start: int
    end: int
    target: str
    """Text behind the `@` up to the place, without quotation marks."""
    rest: str
    """Text which follows directly, up to the next blank."""


@dataclass(frozen=True, slots=True)
class UnfinishedCommand:
    """Command being written: `text[start:end]` is the command's name with the slash, at the start of the prompt."""

    start: int
    end: int
    name: str
    """Name up to the place, without the slash."""


@dataclass(frozen=True, slots=True)
class UnfinishedArgument:
    """Argument being written: `text[start:end]` is a word behind a command."""

    start: int
    end: int
    command: str
    word: str
    """Word up to the place."""
    earlier: tuple[str, ...] = ()
    """Words between the command and this word."""


Unfinished = UnfinishedMention | UnfinishedCommand | UnfinishedArgument


def unfinished_at(text: str, offset: int) -> Unfinished | None:
    """Return the mention, command or argument being written at the offset (code points), or None in prose and code."""
    return _mention_at(text, offset) or _command_at(text, offset)


def spelled(target: str, lines: LineRange | None = None, *, before: str = "") -> str | None:
    """Return the target as a mention which is read as exactly this target, also directly before the text `before`.

    The spelling ends with a blank if the mention would not end otherwise. None if no mention can name the target.
    """
    suffix = "" if lines is None else f"#L{lines.start}" + (f"-{lines.end}" if lines.end > lines.start else "")
    reading = Reading(target, lines)
    # A quotation mark at the start would pair with one further on in the prompt.
    if "`" in target or target.startswith('"') or len(target) > LONGEST // 2:
        return None
    for spelling in (f"@{target}{suffix}", f'@"{target}"{suffix}'):
        if _is_read_as(reading, spelling):
            return spelling if _is_read_as(reading, spelling + before) else f"{spelling} "
    return None


def _is_read_as(reading: Reading, text: str) -> bool:
    mention = next(iter(find_mentions(text)), None)
    return mention is not None and mention.start == 0 and reading in mention.readings


def _mention_at(text: str, offset: int) -> UnfinishedMention | None:
    line = next(reversed(split_lines(text[:offset])), "")
    if (match := _MENTION.search(line)) is None:
        return None
    quoted, section, open_quoted, plain = match.groups()
    start, end = offset - len(line) + match.start(), _end(_MENTION_REST, text, offset)
    if open_quoted is not None and text[end : end + 1] == '"':
        end += 1  # Editors close a quotation mark at once.
    if all(mention.start != start for mention in find_mentions(f"{text[:start]}@x {text[end:]}")):
        return None
    target = open_quoted or plain or "" if quoted is None else f"{quoted}{section}"
    following = _NO_BLANKS.match(text, end, end + LONGEST)
    return UnfinishedMention(start, end, target, "" if following is None else following[0])


def _command_at(text: str, offset: int) -> UnfinishedCommand | UnfinishedArgument | None:
    before = text[:offset]
    if (match := _COMMAND.match(before)) is not None:
        return UnfinishedCommand(match.start(1) - 1, _end(_COMMAND_REST, text, offset), match[1])
    if (match := _ARGUMENT.match(before)) is not None:
        end = _end(_NO_BLANKS, text, offset)
        return UnfinishedArgument(match.start(3), end, match[1], match[3], tuple(match[2].split()))
    return None


def _end(rest: re.Pattern[str], text: str, offset: int) -> int:
    match = rest.match(text, offset)
    return offset if match is None else match.end()
