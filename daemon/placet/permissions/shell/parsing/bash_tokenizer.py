"""Second reading of the line, by bash's own token rules, for comparison with the grammar's reading.

tree-sitter-bash has no errors for much that bash reads otherwise. This reader knows less, and gives up early, as at
functions, `case` and lists of values; but if both agree on every word, and on which words are commands, the tree can be
believed. Bash's manual, sections 2 "Definitions", 3.1.2 "Quoting", 3.2 "Shell Commands"; POSIX 2.3 "Token Recognition".
"""

import re
from dataclasses import dataclass, field

from placet.permissions.shell.evaluation import PLAIN_EXPANSION

_OPERATOR = re.compile(r";;&|;;|;&|&&|\|\||\|&|&>>|&>|<<<|<<-|<<|>>|>\||[<>]&-|>&|<&|<>|[;&|()<>]")
_BLANKS = re.compile(r"(?:[ \t]|\\\n)*")
_OPENING = frozenset({"if", "then", "else", "elif", "while", "until", "do", "{", "!"})
_CLOSING = frozenset({"fi", "done", "}"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^\]]*\])?\+?=", re.ASCII)
_PLAIN_EXPANSION = re.compile(r"\$\{[^}'\"`\\${]*\}")
_PLAIN_ARITHMETIC = re.compile(r"\$\(\([^()'\"`\\$\n]*\)\)")
_ANSI = re.compile(r"\$'(?:\\.|[^'\\])*'", re.DOTALL)
_IN_DOCUMENT = re.compile(r"\\.|\$[{(\[]|`", re.DOTALL)
_SPACES = frozenset(" \t\n")
_DEEPEST = 30


class Unreadable(Exception):
    """This reader gives up on the text."""


@dataclass(slots=True)
class Reading:
    text: str
    words: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    names: list[int] = field(default_factory=list[int])
    comments: list[int] = field(default_factory=list[int])
    targets: list[int] = field(default_factory=list[int])
    """Places at which redirections name their files."""
    arguments: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    """Arguments, each with the place of the command's name."""
    depth: int = 0
    tokens: int = 0
    """Number of words, quoted parts, expansions and operators read so far."""


def read_again(text: str) -> Reading:
    """Return the words and commands of the text, here-documents left out. Raises Unreadable."""
    reading = Reading(text)
    try:
        _commands(reading, 0, "")
    except (IndexError, RecursionError) as error:
        raise Unreadable from error
    return reading


@dataclass(slots=True)
class _State:
    """Position of the reader in a list of commands; each call of `_commands` owns a state."""

    at_command: bool = True
    """The next word is a command's name, unless the word is an assignment."""
    is_fresh: bool = True
    """The reader has read nothing of the command, so reserved words count."""
    after_compound: bool = False
    command: int = -1
    """Place of the command's name, once the name is read; -1 before."""
    documents: list[tuple[str, str, bool]] = field(default_factory=list[tuple[str, str, bool]])
    """Here-documents that begin at the next line: operator, delimiter, and whether the delimiter is quoted."""

    def begin(self) -> None:
        self.at_command = self.is_fresh = True
        self.after_compound = False
        self.command = -1

    def close_compound(self) -> None:
        self.at_command = self.is_fresh = False
        self.after_compound = True


def _commands(reading: Reading, position: int, closing: str) -> int:
    """Read commands up to the closing mark, and return the position after the mark."""
    reading.depth += 1
    if reading.depth > _DEEPEST:
        raise Unreadable
    text, state = reading.text, _State()
    while True:
        position = _skip_blanks(text, position)
        if position >= len(text):
            if closing or state.documents:
                raise Unreadable
            break
        character = text[position]
        if character == closing == "`":
            position += 1
            break
        if character == "\n":
            position = _documents(text, position + 1, state)
            state.begin()
            continue
        if character == "#":
            reading.comments.append(position)
            newline = text.find("\n", position)
            position = newline if newline >= 0 else len(text)
            continue
        if text.startswith(("<(", ">("), position):
            position = _word_in_command(reading, position, state)
            continue
        if operator := _OPERATOR.match(text, position):
            if operator[0] == ")" and closing == ")":
                position += 1
                break
            position = _operator(reading, operator[0], position, state)
            continue
        position = _word_in_command(reading, position, state)
    if state.documents:
        raise Unreadable
    reading.depth -= 1
    return position


def _operator(reading: Reading, operator: str, position: int, state: _State) -> int:
    text, end = reading.text, position + len(operator)
    reading.tokens += 1
    if operator[0] in "<>" or operator in ("&>", "&>>"):
        state.is_fresh = False
        if operator.endswith("&-"):
            return end
        start = _skip_blanks(text, end)
        end = _word(reading, start)
        if operator in ("<<", "<<-"):
            _expect_document(text[start:end], operator, state)
        elif operator != "<<<":
            reading.targets.append(start)
        reading.words.append((start, end))
        return end
    match operator:
        case "(" if state.at_command and state.is_fresh and not text.startswith("((", position):
            end = _commands(reading, end, ")")
            state.close_compound()
            return end
        case ";" | "&" | "&&" | "||" | "|" | "|&":
            state.begin()
            return end
        case _:
            raise Unreadable


def _word_in_command(reading: Reading, position: int, state: _State) -> int:
    text, end = reading.text, _word(reading, position)
    word = text[position:end]
    if word.isdigit() and text[end : end + 1] in ("<", ">"):
        return end
    if word.startswith("{") and word.endswith("}") and text[end : end + 1] in ("<", ">"):
        raise Unreadable
    if state.at_command and state.is_fresh and (after := _reserved(reading, word, position, end, state)):
        return after
    if state.after_compound:
        raise Unreadable
    reading.words.append((position, end))
    if state.at_command and _ASSIGNMENT.match(word):
        state.is_fresh = False
    elif state.at_command:
        reading.names.append(position)
        state.at_command = state.is_fresh = False
        state.command = position
    else:
        reading.arguments[position, end] = state.command
    return end


def _reserved(reading: Reading, word: str, position: int, end: int, state: _State) -> int:
    """Return the position after a reserved word and its parts, or 0 if the word is not reserved."""
    text = reading.text
    if word in _OPENING:
        state.begin()
        return end
    if word in _CLOSING:
        state.close_compound()
        return end
    match word:
        case "for" | "select":
            start = _skip_blanks(text, end)
            end = _word(reading, start)
            start = _skip_space(text, end)
            if text.startswith("in", start) and text[start + 2 : start + 3] in _SPACES:
                end = _words_until_separator(reading, start + 2)
            state.begin()
            return end
        case "[[":
            reading.names.append(position)
            end = _condition(reading, end)
            state.close_compound()
            return end
        case "case" | "coproc" | "function" | "esac":
            raise Unreadable
        case _:
            return 0


def _condition(reading: Reading, position: int) -> int:
    """Read the inside of `[[ … ]]`, and return the position after the closing brackets."""
    text = reading.text
    while True:
        position = _skip_blanks(text, position)
        if text.startswith(("&&", "||"), position):
            position += 2
        elif text[position] in "()<>":
            position += 1
        elif text[position] in "\n;&|":
            raise Unreadable
        else:
            end = _word(reading, position)
            if text[position:end] == "]]":
                return end
            position = end


def _words_until_separator(reading: Reading, position: int) -> int:
    text = reading.text
    while True:
        position = _skip_blanks(text, position)
        if position >= len(text) or text[position] in "\n;":
            return position
        end = _word(reading, position)
        reading.words.append((position, end))
        position = end


def _expect_document(delimiter: str, operator: str, state: _State) -> None:
    quoted = re.fullmatch(r"'([^'\n]+)'|\"([^\"\n\\$`]+)\"|\\?([\w.!-]+)", delimiter)
    if quoted is None:
        raise Unreadable
    state.documents.append((operator, quoted[1] or quoted[2] or quoted[3], delimiter[0] in "'\"\\"))


def _documents(text: str, position: int, state: _State) -> int:
    """Skip the here-documents that begin at this line."""
    for operator, delimiter, is_quoted in state.documents:
        start = position
        while True:
            if position >= len(text):
                raise Unreadable
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            line = text[position:end]
            position = min(end + 1, len(text))
            if (line.lstrip("\t") if operator == "<<-" else line) == delimiter:
                break
        if not is_quoted:
            _expanded_text(text[start:position])
    state.documents.clear()
    return position


def _expanded_text(text: str) -> None:
    """Raise Unreadable for text in which bash may run something, or may join lines so that the text ends elsewhere."""
    for expansion in _IN_DOCUMENT.finditer(text):
        is_escape = expansion[0].startswith("\\") and expansion[0] != "\\\n"
        if not (is_escape or PLAIN_EXPANSION.match(text, expansion.start())):
            raise Unreadable


def _word(reading: Reading, position: int) -> int:
    """Return the end of the word at this position; code in the word is read too."""
    text, start = reading.text, position
    reading.tokens += 1
    while position < len(text):
        character = text[position]
        if character in " \t\n;&|()" or (character in "<>" and text[position + 1 : position + 2] != "("):
            break
        match character:
            case "\\":
                position += 2
                if position > len(text):
                    raise Unreadable
            case "'":
                closing = text.find("'", position + 1)
                position = closing + 1 if closing >= 0 else len(text) + 1
            case '"':
                position = _double_quotes(reading, position + 1)
            case "`":
                position = _backticks(reading, position)
            case "$":
                position = _dollar(reading, position)
            case "<" | ">":
                position = _commands(reading, position + 2, ")")
            case _:
                position += 1
        if position > len(text):
            raise Unreadable
    if position == start:
        raise Unreadable
    return position


def _double_quotes(reading: Reading, position: int) -> int:
    text = reading.text
    reading.tokens += 1
    while text[position] != '"':
        match text[position]:
            case "\\":
                position += 2
            case "`":
                position = _backticks(reading, position)
            case "$" if text[position + 1 : position + 2] not in ("'", '"'):
                position = _dollar(reading, position)
            case _:
                position += 1
    return position + 1


def _dollar(reading: Reading, position: int) -> int:
    text = reading.text
    reading.tokens += 1
    for plain in (_PLAIN_ARITHMETIC, _PLAIN_EXPANSION, _ANSI):
        if expansion := plain.match(text, position):
            return expansion.end()
    match text[position + 1 : position + 2]:
        case "(" if not text.startswith("$((", position):
            return _commands(reading, position + 2, ")")
        case "(" | "{" | "[" | "'" | '"':
            raise Unreadable
        case _:
            return position + 1


def _backticks(reading: Reading, position: int) -> int:
    end = reading.text.find("`", position + 1)
    if end < 0 or "\\" in reading.text[position:end]:
        raise Unreadable
    return _commands(reading, position + 1, "`")


def _skip_blanks(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def _skip_space(text: str, position: int) -> int:
    while text[position] in _SPACES:
        position += 1
    return position
