"""Walk from a command line to its findings: the walk over the tree follows the shell's directory where possible."""

import itertools
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tree_sitter import Node

from placet.permissions.shell.evaluation import evaluation_doubts
from placet.permissions.shell.findings import Findings, FoundCommand, Listing, NamedPath, unread
from placet.permissions.shell.inspection import Inspection
from placet.permissions.shell.parsing.bash_tokenizer import Unreadable, read_again
from placet.permissions.shell.parsing.cross_check import Dropped, dropped_arguments
from placet.permissions.shell.parsing.known_misparses import RESERVED, hidden_code, is_quoted_document, suspicions
from placet.permissions.shell.parsing.syntax import (
    BLOCKS,
    BRANCHES,
    LOOPS,
    SHELL_OWN_COMMANDS,
    UNDERSTOOD,
    WORDS,
    has_option_of_the_program,
    has_touching_words,
    is_time_keyword,
    parse,
    redirect_words,
)
from placet.permissions.shell.paths import is_no_file, named_paths, outside_by_wildcard
from placet.permissions.shell.programs.builtins import is_builtin
from placet.permissions.shell.programs.effects import Touched, program_of, touched
from placet.permissions.shell.programs.inspections import inspect
from placet.permissions.shell.programs.irreversible import REMOVERS
from placet.permissions.shell.source import source_of, to_parse
from placet.permissions.shell.variables import NO_VARIABLES, Variables, assigns, proved_variables
from placet.permissions.shell.words import Word, absolute, plain_word, read_word, texts, values

LONGEST = 50_000
"""Longest line, in characters; a longer line is not taken apart."""
MOST_TOKENS = 3_000
"""Number of words and operators that a piece of code may have; the grammar takes quadratic time for some mistakes."""
MOST_STEPS = 12_000
"""Number of words, nodes and commands to look at for a line, code in code included: about a tenth of a second."""
DEEPEST = 60
"""Depth of a tree, and of code in code, beyond which the rest counts as unproved."""
MOST_DIRECTORIES = 6
"""Number of directories in which a command may turn out to run before the directory counts as unknown."""

_TOO_COMPLEX = "the line is too complex to be taken apart"
_SIGNIFICANT = re.compile(r"[^\w\s]|\s+")
_OWN_WORDS = ("[ ", "[\t", "[[ ", "[[\t")
"""Beginnings of a test: `[a/b]` is a program's name."""
_LINKING = frozenset(("ln", "gln", "link"))
_LINKED = "a link that the line makes may lead its other paths elsewhere"

Where = frozenset[str]
"""Directories in which the shell may be."""
Files = Literal["words", "listing", "input"]
"""Where a command gets the names of files from: only from its words, or also from a listing of find, or an input."""


@dataclass(frozen=True, slots=True)
class After:
    """Directories in which the shell may be after a statement has succeeded, and after it has failed."""

    success: Where
    failure: Where

    @property
    def either(self) -> Where:
        return self.success | self.failure


def analyse(line: str, *, directory: Path, home: Path) -> Findings:
    """Return everything that the line would run or may touch when bash runs the line in `directory`. Never raises."""
    if len(line) > LONGEST:
        return unread(line, "the line is too long to be taken apart")
    findings = _walked(line, directory, home, NO_VARIABLES)
    variables = proved_variables(line, home.as_posix())
    if variables == NO_VARIABLES or any(map(assigns, findings.commands)):
        return findings
    return _walked(line, directory, home, variables)


def _walked(line: str, directory: Path, home: Path, variables: Variables) -> Findings:
    walk = _Walk(home.as_posix(), variables)
    walk.doubts += suspicions(line)
    try:
        walk.read(line, frozenset({directory.as_posix()}), depth=0)
    except (TooComplex, RecursionError):
        walk.doubts.append(_TOO_COMPLEX)
    return Findings(
        tuple(dict.fromkeys(walk.commands)), tuple(dict.fromkeys(walk.named)), tuple(dict.fromkeys(walk.doubts))
    )


class TooComplex(Exception):
    """A line takes more steps than the analysis spends on a line."""


class _Walk:
    """Collector of the findings of a whole line, code in code included; `analyse` makes a walk for each pass."""

    def __init__(self, home: str, variables: Variables) -> None:
        self._home = home
        self._variables = variables
        self._makes_links = False
        self._runs_apart = False
        self.commands: list[FoundCommand] = []
        self.named: list[NamedPath] = []
        self.doubts: list[str] = []
        self._listed: tuple[str, ...] = ()
        """Arguments with which the last command, a find, prints paths."""
        self._piped: tuple[str, ...] = ()
        """Arguments of the find whose paths the next command of a pipeline reads."""
        self._steps = 0
        self._dropped: Dropped = {}

    def read(self, code: str, where: Where, depth: int) -> Where:
        """Walk code that a shell reads; return the directories in which this shell may be afterwards. Raises
        TooComplex."""
        if depth > DEEPEST:
            self.doubts.append("it is nested too deep")
            return where
        if depth:  # Another shell may read the line, with other variables.
            self._variables, outer = NO_VARIABLES, self._variables
            try:
                return self._read(code, where, depth)
            finally:
                self._variables = outer
        return self._read(code, where, depth)

    def _read(self, code: str, where: Where, depth: int) -> Where:
        data = to_parse(code)
        try:
            reading = read_again(data.decode("latin-1"))
        except Unreadable:
            reading = None
        tokens = reading.tokens if reading else len(_SIGNIFICANT.findall(code))
        if tokens > MOST_TOKENS:
            raise TooComplex
        root = parse(data)
        self._spend(tokens + root.descendant_count)
        dropped = dropped_arguments(root, reading) if reading else None
        if root.has_error:
            self.doubts.append("it cannot be read as shell code without a guess")
        elif dropped is None:
            self.doubts.append("two ways of reading it differ")
        for hidden in hidden_code(root):
            self.doubts.append("it holds a substitution in a place where one is hard to see")
            self.read(hidden, where, depth + 1)
        outer, self._dropped = self._dropped, dropped or {}
        after = self._statement(root, where, depth).either
        self._dropped = outer
        return after

    def _spend(self, steps: int) -> None:
        """Raise TooComplex when the whole line has taken too many steps."""
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise TooComplex

    # ------------------------------------------------------------ statements

    def _statement(self, node: Node, where: Where, depth: int) -> After:
        if depth > DEEPEST:
            self.doubts.append("it is nested too deep")
            return After(where, where)
        depth += 1
        match node.type:
            case "command":
                return self._command(node, (), where, depth)
            case "list":
                return self._list(node, where, depth)
            case "negated_command":
                after = self._sequence(node.named_children, where, depth)
                return After(after.failure, after.success)
            case "redirected_statement":
                return self._redirected(node, where, depth)
            case "pipeline":
                return self._pipeline(node, where, depth)
            case "subshell" | "command_substitution" | "process_substitution" | "ERROR":
                self._sequence(node.named_children, where, depth)
                return _same(where)
            case "function_definition":
                if is_builtin(name := source_of(node.named_children[0])):
                    self.doubts.append(f"a function takes the place of {name}")
                return self._apart(node.named_children[1:], where, depth, "a function changes the directory")
            case "comment":
                return _same(where)
            case kind if kind in LOOPS:
                self.doubts += evaluation_doubts(node)
                return self._apart(node.named_children, where, depth, "a loop changes the directory")
            case kind if kind in BRANCHES:
                return self._branches(node.named_children, where, depth)
            case kind if kind in BLOCKS:
                self.doubts += evaluation_doubts(node)
                return self._sequence(node.named_children, where, depth)
            case _:
                return self._expression(node, where, depth)

    def _pipeline(self, node: Node, where: Where, depth: int) -> After:
        ends: list[Where] = []
        self._piped = ()
        for part in node.named_children:
            ends.append(self._statement(part, where, depth).either)
            body = part.child_by_field_name("body") or part
            if body.type == "list":  # The grammar takes `a && b > c | d` for `(a && b > c) | d`.
                where = self._bounded(where | ends[-1])
            self._piped = self._listed if body.type == "command" else ()
        self._piped = ()
        return _same(where.union(*ends))

    def _expression(self, node: Node, where: Where, depth: int) -> After:
        """Walk a node that is no command itself, but may hold commands, or evaluate text with commands."""
        self.doubts += evaluation_doubts(node)
        if node.type in SHELL_OWN_COMMANDS:
            self._own_command(node, where)
        elif node.type == "file_redirect":
            self._redirect(node, where)
        elif node.is_named and node.type not in UNDERSTOOD:
            self.doubts.append(f"it holds what is not understood here ({node.type})")
        parts = node.named_children
        if node.type == "heredoc_redirect" and is_quoted_document(node):
            parts = [part for part in parts if part.type != "heredoc_body"]
        return _same(self._sequence(parts, where, depth).either)

    def _own_command(self, node: Node, where: Where) -> None:
        """Note a test, a declaration or an `unset`, if bash reads the node as such."""
        source = source_of(node)
        name = re.match(r"\w*", source, re.ASCII)
        if node.type == "test_command":
            if source.startswith(_OWN_WORDS[2:]):
                return
            words = self._words_of_test(node, where) if source.startswith(_OWN_WORDS) else None
            doubt = "which program it is shows only when it runs" if words is None else inspect(words).doubt
            self._add_command(FoundCommand(source, None, doubt, harmless=words is not None))
        else:
            is_known = name is not None and is_builtin(name[0])
            self._add_command(
                FoundCommand(source, None, "" if is_known else "it is no command of bash's", harmless=is_known)
            )

    def _words_of_test(self, node: Node, where: Where) -> list[Word] | None:
        """Return the words of `[ … ]`, or None if two words touch, as bash reads a single word then."""
        leaves: list[Node] = []
        stack = [node]
        while stack:
            inner = stack.pop()
            if inner.type in WORDS or not inner.children:
                leaves.append(inner)
            else:
                stack.extend(reversed(inner.children))
        if any(left.end_byte == right.start_byte for left, right in itertools.pairwise(leaves)):
            return None
        return [self._word(leaf, where) for leaf in leaves]

    def _sequence(self, nodes: Iterable[Node], where: Where, depth: int) -> After:
        after = _same(where)
        for node in nodes:
            after = self._statement(node, self._bounded(after.either), depth)
        return after

    def _branches(self, nodes: Iterable[Node], where: Where, depth: int) -> After:
        """Walk the parts of a branch; each part may run or not."""
        for node in nodes:
            where = self._bounded(where | self._statement(node, where, depth).either)
        return _same(where)

    def _apart(self, nodes: Iterable[Node], where: Where, depth: int, doubt: str) -> After:
        """Walk code that runs any number of times, or at another time: such code must not change the directory."""
        self._runs_apart = True
        if not self._sequence(nodes, where, depth).either <= where:
            self.doubts.append(f"{doubt}, and it cannot be told where the rest runs")
        return _same(where)

    def _list(self, node: Node, where: Where, depth: int, redirects: Sequence[Node] = ()) -> After:
        """Walk `a && b`; `redirects` belong to the last command, but the grammar gives the redirects to the whole
        list."""
        left, *rest = (child for child in node.named_children if child.type != "comment")
        after = self._statement(left, where, depth)
        operator = next((child.type for child in node.children if child.type in ("&&", "||")), "||")
        for index, right in enumerate(rest, 1):
            start = after.success if operator == "&&" else after.failure
            then = self._statement(right, start, depth)
            if index == len(rest):
                self._sequence(redirects, start, depth)
            if operator == "&&":
                after = After(then.success, self._bounded(then.failure | after.failure))
            else:
                after = After(self._bounded(then.success | after.success), then.failure)
        return after

    def _bounded(self, where: Where) -> Where:
        if len(where) > MOST_DIRECTORIES:
            self.doubts.append("it cannot be told in which directory it runs")
            return frozenset(sorted(where)[:MOST_DIRECTORIES])
        return where

    # ------------------------------------------------------------ redirections

    def _redirected(self, node: Node, where: Where, depth: int) -> After:
        body = node.child_by_field_name("body")
        after = _same(where)
        redirects = [part for part in node.named_children if body is None or part.id != body.id]
        if body is None and (late := self._late_arguments(redirects)):
            after = self._start([self._word(word, where) for word in late], where, depth)
        elif body is not None and body.type == "command":
            after = self._command(body, tuple(self._late_arguments(redirects)), where, depth)
        elif body is not None:
            if late := self._late_arguments(redirects):
                self.doubts.append("it is not sure what the words after a redirection are")
                self._start([self._word(word, where) for word in late], where, depth)
            if body.type == "list":
                return self._list(body, where, depth, redirects)
            after = self._statement(body, where, depth)
        self._sequence(redirects, where, depth)
        return after

    def _late_arguments(self, redirects: Iterable[Node]) -> list[Node]:
        """Return arguments that stand after a redirection; the grammar makes these arguments a part of the
        redirection."""
        late: list[Node] = []
        for redirect in redirects:
            if redirect.type == "file_redirect":
                late += redirect_words(redirect)[1]
            elif redirect.type == "heredoc_redirect":
                late += redirect.children_by_field_name("argument")
                late += self._late_arguments(redirect.children_by_field_name("redirect"))
        return late

    def _redirect(self, node: Node, where: Where) -> None:
        operator = next((child.type for child in node.children if "<" in child.type or ">" in child.type), "")
        target, _ = redirect_words(node)
        if target is None:
            return
        word = self._word(target, where)
        if operator in (">&", "<&") and re.fullmatch(r"\d+-?|-", word.value or ""):
            return
        if word.value is not None and is_no_file(word.value):
            return
        self._touch([Touched(word, "writes" if ">" in operator else "reads")], where)
        if ">" in operator:
            arrow = ">>" if ">>" in operator else ">"
            self._add_written_file(arrow, word, where)
        elif doubt := _file_doubt(word):
            self.doubts.append(f"{source_of(node)}: {doubt}")

    def _written(self, word: Word, where: Where) -> None:
        """Note a file that a program writes by an option, like a redirection to the file."""
        if word.value != "-" and not (word.value is not None and is_no_file(word.value)):
            self._touch([Touched(word, "writes")], where)
            self._add_written_file(">", word, where)

    def _add_written_file(self, arrow: str, word: Word, where: Where) -> None:
        """Note a written file, in each directory in which the shell may be."""
        doubt = _file_doubt(word)
        targets = () if doubt else tuple(absolute(word.value or "", directory) for directory in sorted(where))
        self._add_command(FoundCommand(f"{arrow} {word.text}", None, doubt, targets=targets))

    # ------------------------------------------------------------ commands

    def _command(self, node: Node, late: Sequence[Node], where: Where, depth: int) -> After:
        words: dict[int, Word] = {}
        """Words by the place where each word stands."""
        for child in node.children:
            place = child.start_byte
            if child.type == "command_name":
                inner = child.named_children or [child]
                is_single = len(inner) == 1
                words[place] = self._word(inner[0], where) if is_single else Word(source_of(child), None)
                words.update((at, plain_word(text)) for at, text in self._dropped.get(place, ()))
            elif child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
                late = (*late, *self._late_arguments([child]))
            elif child.type == "variable_assignment" and not words:
                pass
            elif child.type in WORDS or child.type in ("test_operator", "regex", "extglob_pattern", "variable_name"):
                words[place] = self._word(child, where)
            elif child.type == "$":
                words[place] = plain_word("$")
            elif child.type != "comment":
                self.doubts.append(f"it holds what is not understood here ({child.type})")
        words.update((argument.start_byte, self._word(argument, where)) for argument in late)
        if has_touching_words(node):
            self.doubts.append("it is not sure where a word ends")
        self._sequence(node.named_children, where, depth)
        self._sequence(late, where, depth)
        in_order = [words[place] for place in sorted(words)]
        return self._start(in_order, where, depth, is_keyword=is_time_keyword(node)) if words else _same(where)

    def _start(
        self, words: Sequence[Word], where: Where, depth: int, *, is_keyword: bool = False, files: Files = "words"
    ) -> After:
        """Note a command, and the commands started in turn; with `is_keyword`, `time` is no program here."""
        name = words[0].value
        self._listed = ()
        self._spend(len(words) * len(where))
        if depth > DEEPEST:
            self.doubts.append("it is nested too deep")
            return _same(where)
        if name is None or words[0].has_wildcard or not name:
            self._add_command(FoundCommand(texts(words), None, "which program it is shows only when it runs"))
            return _same(where)
        if words[0].source in RESERVED:
            self.doubts.append(f"`{name}` stands where a command is expected")
            for is_reserved, run in itertools.groupby(words, lambda word: word.source in RESERVED):
                if not is_reserved:
                    self._start(list(run), where, depth + 1)
            return _same(where)
        if name in ("cd", "pushd", "popd"):
            return self._change_directory(words, where)
        inspection = inspect(words)
        command = self._found(words, inspection, where, files, is_keyword=is_keyword)
        self._add_command(command)
        self._touch(() if files == "listing" else touched(words, inspection, command), where)
        for word in inspection.writes:
            self._written(word, where)
        if program_of(words) in _LINKING:
            self._makes_links = True
            if self._runs_apart:
                self.doubts.append(_LINKED)
        after = where
        if any(listing.arguments for listing in command.removals):
            files = "listing"
        elif files == "listing" or program_of(words) == "xargs":
            files = "input"
        for inner in inspection.runs:
            after = after | self._start(inner, where, depth + 1, files=files).either
        self._listed = inspection.listing
        for code in inspection.code:
            self.doubts += suspicions(code)
            after = after | self.read(code, where, depth + 1)
        if name == "trap" and after - where:
            self.doubts.append("a trap changes the directory, and it cannot be told where the rest runs")
        return _same(self._bounded(after) if inspection.in_this_shell else where)

    def _found(
        self, words: Sequence[Word], inspection: Inspection, where: Where, files: Files, *, is_keyword: bool
    ) -> FoundCommand:
        """Return the command with the doubts about its words, and with the listings of files that it removes."""
        doubt = inspection.doubt
        unknown = [at for at, word in enumerate(words) if word.value is None and at not in inspection.free]
        if unknown and not doubt and not inspection.takes_anything:
            doubt = "an argument is known only when it runs"
        if outside_by_wildcard(words, inspection.no_paths) and not inspection.takes_anything:
            doubt = doubt or "a wildcard may lead out of its directory"
        if is_keyword and has_option_of_the_program(words):
            doubt = doubt or "the shell's own `time` takes the option for a program's name"
        wildcard_doubt = inspection.wildcard_doubt
        if self._runs_apart:  # The first run may make the file that a wildcard of the second finds.
            doubt, wildcard_doubt = doubt or wildcard_doubt, ""
        harmless = inspection.harmless and (is_keyword or words[0].value != "time")
        listing = self._piped if inspection.removes_input else inspection.listing if inspection.runs else ()
        is_unnamed = program_of(words) in REMOVERS and files != "listing" and (bool(unknown) or files == "input")
        removals = tuple(Listing(place, listing) for place in sorted(where)) if listing or is_unnamed else ()
        return FoundCommand(texts(words), values(words), doubt, wildcard_doubt, harmless, removals=removals)

    def _change_directory(self, words: Sequence[Word], where: Where) -> After:
        operands = [word for word in words[1:] if word.source not in ("-L", "--", "-e")]
        target = operands[0] if operands else Word("~", self._home)
        value = target.value
        is_certain = words[0].value != "popd" and (words[0].value == "cd" or operands) and len(operands) < 2
        if not is_certain or value is None or not value or target.has_wildcard or value[0] in "-+":
            doubt = "where it leads is known only when it runs"
            self._add_command(FoundCommand(texts(words), values(words), doubt, harmless=True))
            return _same(where)
        self._add_command(FoundCommand(texts(words), values(words), harmless=True, only_moves=True))
        self._touch([Touched(target, "reads")], where)
        return After(frozenset(_joined(directory, value) for directory in where), where)

    def _touch(self, words: Sequence[Touched], where: Where) -> None:
        previous_count = len(self.named)
        for directory in where:
            for word in words:
                self.named += named_paths(word, directory, self._home)
        if self._makes_links and len(self.named) > previous_count:
            self.doubts.append(_LINKED)

    def _word(self, node: Node, where: Where) -> Word:
        return read_word(node, self._home, self._variables.at(where))

    def _add_command(self, command: FoundCommand) -> None:
        self.commands.append(command)


def _file_doubt(word: Word) -> str:
    return "which file it is shows only when it runs" if word.value is None or word.has_wildcard else ""


def _same(where: Where) -> After:
    return After(where, where)


def _joined(directory: str, value: str) -> str:
    """Return the joined path as `cd` does by default: `..` takes away the last name, even if the name is a symlink."""
    return os.path.normpath(os.path.join(directory, value))  # noqa: PTH118
