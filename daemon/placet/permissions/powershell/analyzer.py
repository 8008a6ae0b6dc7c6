"""Walk over the tree of a line of PowerShell. A node of a kind that is not named here makes the line unproved."""

import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath

import tree_sitter_powershell
from tree_sitter import Language, Node, Parser

from placet.permissions.powershell.cmdlets import (
    cmdlet_of,
    doubt_about,
    effect_of,
    has_no_effect,
    other_names,
    program_name,
    takes_block,
)
from placet.permissions.powershell.source import doubts_of, for_grammar
from placet.permissions.shell import Findings, FoundCommand, unread
from placet.permissions.shell import analyse as analyse_bash
from placet.permissions.shell.findings import CHANGES, Effect, NamedPath
from placet.permissions.shell.inspection import names

LONGEST = 10_000
"""Longest line, in characters; a longer line is not taken apart."""
DEEPEST = 300
"""Depth of the tree beyond which the rest counts as unproved; a pair of brackets is about fifteen deep."""
MOST_WORDS = 1_500
"""Number of words that a line may have."""
MOST_DIRECTORIES = 6
"""Number of directories in which the line may turn out to be before the directory counts as unknown."""

_PASSED = names("""
    program statement_list pipeline pipeline_chain empty_statement if_statement elseif_clauses elseif_clause else_clause
    statement_block foreach_statement try_statement catch_clauses catch_clause finally_clause parenthesized_expression
    sub_expression array_expression script_block_expression script_block script_block_body unary_expression
    logical_expression bitwise_expression comparison_expression additive_expression multiplicative_expression
    format_expression range_expression array_literal_expression expression_with_unary_operator member_access
""")
"""Nodes that do nothing beside what their parts do."""
_LEAVES = names("""
    variable integer_literal decimal_integer_literal hexadecimal_integer_literal real_literal comparison_operator
    simple_name member_name pipeline_chain_tail
""")
_MARKS = frozenset(("(", ")", "{", "}", "$(", "@(", ";", "|", "&&", "||", ",", ".", "..", "+", "-", "*", "/", "%", "!"))
_WORDS = names("if elseif else foreach in try catch finally -not -and -or -xor -join -split -replace -f")
_BARE = re.compile(r"[\w./\\:~*?=+%^!,@-]+")
_PARAMETER = re.compile(r"--?[A-Za-z?][\w.-]*|-\d+")
_PLAIN_VARIABLE = re.compile(r"\$(?!ps|env:)[A-Za-z]\w*", re.IGNORECASE)
_OTHER_DRIVE = re.compile(
    r"(alias|cert|env|feedback|function|hkcu|hklm|temp|variable|wsman):|\w{2,}:[\\/:]|[a-z]:(?![\\/]|$)", re.IGNORECASE
)
"""Drives that are no file systems, and paths relative to the directory of another drive."""
_URL = re.compile(r"[a-z][a-z+.-]+://", re.IGNORECASE)

_MOVES = frozenset(("Set-Location", "Push-Location", "Pop-Location"))
_UNKNOWN_VALUE = "a word of it is known only when it runs"
_UNKNOWN_DIRECTORY = "the line goes on in a directory that is not known here"


@dataclass(frozen=True, slots=True)
class _Word:
    """Argument of a command: the source, and the value where the value is certain."""

    source: str
    value: str | None

    @property
    def text(self) -> str:
        return self.value if self.value and not re.search(r"[\s'\"]", self.value) else self.source


def analyse(line: str, *, directory: PurePath, home: PurePath) -> Findings:
    """Return everything that the line would run or may touch when PowerShell runs the line in `directory`."""
    if len(line) > LONGEST or len(re.findall(r"\w+|[^\w\s]", line)) > MOST_WORDS:
        return unread(line, "the line is too long to be taken apart")
    root = _parser().parse(for_grammar(line)).root_node
    if root.has_error:
        return unread(line, "the line is not understood as PowerShell here")
    walk = _Walk(line, directory, home)
    walk.doubts += doubts_of(line)
    walk.visit(root, 0)
    return Findings(
        tuple(dict.fromkeys(walk.commands)), tuple(dict.fromkeys(walk.named)), tuple(dict.fromkeys(walk.doubts))
    )


class _Walk:
    """Collector of the findings of a line; `analyse` makes a walk for each line."""

    def __init__(self, line: str, directory: PurePath, home: PurePath) -> None:
        self._line = line
        self._directories = [directory]
        self._home = home
        self.commands: list[FoundCommand] = []
        self.named: list[NamedPath] = []
        self.doubts: list[str] = []

    def visit(self, node: Node, depth: int) -> None:
        if depth > DEEPEST:
            self.doubts.append("the line is nested too deep")
            return
        match node.type:
            case "command":
                self._command(node, depth)
            case "assignment_expression":
                self._assignment(node, depth)
            case "string_literal":
                self._text(node, depth)
            case kind if kind in _PASSED:
                for child in node.children:
                    self.visit(child, depth + 1)
            case kind if kind in _LEAVES or kind in _MARKS or kind.lower() in _WORDS or kind.startswith("-"):
                pass
            case kind:
                self.doubts.append(f"the line has a construct that is not taken apart: {kind.replace('_', ' ')}")

    def _source(self, node: Node) -> str:
        return self._line[node.start_byte : node.end_byte]

    def _assignment(self, node: Node, depth: int) -> None:
        target, *rest = node.children
        if not _PLAIN_VARIABLE.fullmatch(self._source(target).strip()):
            self.doubts.append(f"the line assigns to {self._source(target).strip()}")
        for child in rest:
            if child.type != "assignement_operator":
                self.visit(child, depth + 1)

    def _text(self, node: Node, depth: int) -> None:
        """Visit the code inside of a text in double quotes."""
        pending = [*node.children]
        while pending:
            child = pending.pop()
            if child.type == "sub_expression":
                self.visit(child, depth + 1)
            else:
                pending += child.children

    def _command(self, node: Node, depth: int) -> None:
        name: _Word | None = None
        words: list[_Word] = []
        doubts: list[str] = []
        blocks = 0
        for child in node.children:
            match child.type:
                case "command_name":
                    name = self._bare(child)
                case "command_name_expr":
                    name = self._argument(child, depth)
                case "command_elements":
                    blocks += self._elements(child, words, depth)
                case "command_invokation_operator":
                    if self._source(child).strip() != "&":
                        doubts.append("it runs a script in the shell that reads the line")
                case kind:
                    doubts.append(f"it has a part that is not taken apart: {kind.replace('_', ' ')}")
        texts = (name.text if name else "", *(word.text for word in words))
        source = " ".join(text for text in texts if text)
        if name is None or not name.value:
            self.commands.append(
                FoundCommand(source or self._source(node), None, "its name is known only when it runs")
            )
            return
        self._found(name, words, doubts, source, blocks=blocks)

    def _found(self, name: _Word, words: list[_Word], doubts: list[str], text: str, *, blocks: int) -> None:
        program = name.value or ""
        cmdlet = cmdlet_of(program)
        if reason := doubt_about(program):
            doubts.append(reason)
        if any(word.value is None for word in words):
            doubts.append(_UNKNOWN_VALUE)
        if blocks and not takes_block(cmdlet):
            doubts.append("it gets code as an argument")
        if cmdlet == "ForEach-Object" and not blocks:
            doubts.append("it calls a method that is not known here")
        moves = cmdlet in _MOVES
        harmless = (has_no_effect(cmdlet) or moves) and not doubts
        values = [word.value for word in words if word.value is not None]
        is_program = cmdlet is None and not program.lower().endswith((".ps1", ".psm1"))
        argv = (program, *values) if is_program and len(values) == len(words) else None
        effect = effect_of(cmdlet, program)
        if argv:
            if any("," in word.source or '"' in (word.value or "") for word in words):
                doubts.append("its words reach the program in another form")
            effect = self._as_program(argv, doubts, effect)
        doubt = "; ".join(dict.fromkeys(doubts))
        self.commands.append(FoundCommand(text, argv, doubt, harmless=harmless, only_moves=moves and harmless))
        # A rule that denies a program holds for each spelling of the program, and for its aliases.
        rest = text.removeprefix(name.text)
        self.commands += [
            FoundCommand(f"{other}{rest}", None, harmless=True) for other in other_names(program) if other != name.text
        ]
        if _is_path(program):
            self._name(program, "reads")
        for value in values:
            for piece in value.split(","):
                self._name(piece, effect)
        if cmdlet is not None and moves:
            self._go(cmdlet, values)

    def _as_program(self, argv: tuple[str, ...], doubts: list[str], effect: Effect) -> Effect:
        """Judge a program by what the analysis of bash knows of programs; return the effect on files."""
        line = shlex.join((program_name(argv[0]), *argv[1:]))
        findings = analyse_bash(line, directory=Path("/"), home=Path("/"))
        first, *started = findings.commands or (FoundCommand(line, None, "its words are not understood"),)
        doubts += filter(None, (first.doubt, *findings.doubts))
        self.commands += started
        effects = {named.effect for named in findings.named}
        return "reads" if effects == {"reads"} else "writes" if effects & CHANGES else effect

    def _elements(self, node: Node, words: list[_Word], depth: int) -> int:
        """Add the words of a command; return the number of script blocks among them."""
        blocks = 0
        parameter = ""
        for child in node.children:
            match child.type:
                case "command_argument_sep":
                    parameter += self._source(child).strip()
                case "redirection":
                    self._redirection(child, depth)
                case _ if _inner(child).type == "script_block_expression":
                    blocks += 1
                    self.visit(child, depth + 1)
                    words.append(_Word(self._source(child), ""))
                case _:
                    word = self._argument(child, depth)
                    if parameter == ":":  # `-Path:x` is one word for rules, and two for the eye.
                        self._joined(words, word)
                    else:
                        words.append(word)
                    parameter = ""
        return blocks

    def _joined(self, words: list[_Word], word: _Word) -> None:
        option = words.pop()
        words.append(_Word(f"{option.source}:{word.source}", option.value))
        words.append(_Word("", word.value))

    def _argument(self, node: Node, depth: int) -> _Word:
        inner = _inner(node)
        match inner.type:
            case "generic_token" | "command_name" | "integer_literal" | "real_literal":
                return self._bare(inner)
            case "command_parameter":
                source = self._source(inner)
                is_plain = _PARAMETER.fullmatch(source.partition("=")[0]) and _BARE.fullmatch(source)
                return _Word(source, source if is_plain else None)
            case "string_literal":
                self._text(inner, depth)
                return _Word(self._source(inner), _constant(self._source(inner)))
            case "variable":
                source = self._source(inner)
                return _Word(source, "" if source.lower() in ("$true", "$false", "$null") else None)
            case _ if re.fullmatch(r"-\d+", self._source(inner)):
                return _Word(self._source(inner), self._source(inner))
            case _:
                self.visit(inner, depth + 1)
                return _Word(self._source(inner), None)

    def _bare(self, node: Node) -> _Word:
        source = self._source(node)
        is_plain = _BARE.fullmatch(source) and not source.startswith("@")
        return _Word(source, source if is_plain else None)

    def _redirection(self, node: Node, depth: int) -> None:
        names_of_files = [child for child in node.children if child.type == "redirected_file_name"]
        for place in names_of_files:
            word = self._argument(place.children[-1], depth)
            text = f"> {word.text}"
            if word.value is None:
                self.commands.append(FoundCommand(text, None, _UNKNOWN_VALUE))
                continue
            targets = tuple(path for path in self._absolute(word.value) if path is not None)
            doubt = "" if len(targets) == len(self._directories) else "it writes to no file that is known here"
            self.commands.append(FoundCommand(text, None, doubt, targets=targets))
            self._name(word.value, "writes")

    def _name(self, value: str, effect: Effect) -> None:
        """Add the places that a word may name, as a path of its own or behind an option's `=`."""
        pieces = (value, value.partition("=")[2]) if value.startswith("-") else (value,)
        for piece in pieces:
            if not piece or piece.startswith("-") or _URL.match(piece):
                continue
            for path in self._absolute(piece):
                if path is None:
                    self.doubts.append(f"{piece} may be a drive of PowerShell")
                elif re.search(r"[*?]", piece):  # In a pattern a backslash quotes.
                    self.named.append(NamedPath(path.replace("\\", "/"), effect, has_wildcard=True))
                else:
                    self.named.append(NamedPath(path, effect))

    def _absolute(self, value: str) -> list[str | None]:
        """Return the path from each directory in which the line may be; None for a drive of PowerShell."""
        if value == "~" or value.startswith(("~/", "~\\")):
            return [str(self._home / value[2:])]
        if _OTHER_DRIVE.match(value):
            return [None]
        return [str(directory / value) for directory in self._directories]

    def _go(self, cmdlet: str, values: list[str]) -> None:
        places = [value for value in values if not value.startswith("-")]
        if cmdlet == "Pop-Location" or len(places) != 1 or None in self._absolute(places[0]):
            self.doubts.append(_UNKNOWN_DIRECTORY)
            return
        more = [type(self._home)(path) for path in self._absolute(places[0]) if path is not None]
        directories = list(dict.fromkeys((*self._directories, *more)))
        if len(directories) > MOST_DIRECTORIES:
            self.doubts.append(_UNKNOWN_DIRECTORY)
            return
        self._directories = directories


def _inner(node: Node) -> Node:
    """Return the node inside of the layers of an expression that add nothing."""
    while node.child_count == 1 and node.type in ("array_literal_expression", "unary_expression", "command_name_expr"):
        node = node.children[0]
    return node


def _constant(source: str) -> str | None:
    """Return the value of a text in quotes, or None if only PowerShell knows the value."""
    quote, inner = source[:1], source[1:-1]
    if len(source) < 2 or source[-1] != quote or "\n" in inner:
        return None
    if quote == "'":
        return None if "'" in inner.replace("''", "") else inner.replace("''", "'")
    is_certain = quote == '"' and not re.search(r"[$`\"]", inner)
    return inner if is_certain else None


def _is_path(program: str) -> bool:
    return "/" in program or "\\" in program


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_powershell.language()))
