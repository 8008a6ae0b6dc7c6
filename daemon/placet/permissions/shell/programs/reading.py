"""Commands that are proved to only read. Stricter than `read_only`: such a command runs without a question.

The proof names the allowed programs and options; any other program, option or construct is not proved. Options that
run a program or write a file are doubts of the analysis already, so the tables here add the rest.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tree_sitter import Node

from placet.permissions.shell.findings import Findings, FoundCommand
from placet.permissions.shell.inspection import names
from placet.permissions.shell.parsing.syntax import parse
from placet.permissions.shell.programs.git_reading import git_reading
from placet.permissions.shell.programs.option_tables import OptionTable, option_table, read_options
from placet.permissions.shell.programs.vouched import GREP, RG
from placet.permissions.shell.source import source_of, to_parse
from placet.permissions.shell.words import plain_word

_NODES = names(
    """
    program list pipeline command command_name word number string string_content raw_string concatenation
    redirected_statement file_redirect file_descriptor negated_command comment subshell compound_statement
    variable_assignment variable_name simple_expansion special_variable_name test_command unary_expression
    binary_expression test_operator
    """
)
"""Constructs of bash that a proved line may hold: no substitution, no loop, no function, no document."""
_EXPANSIONS = frozenset(("$HOME", "$PWD", "$?"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=[\w.-]*", re.ASCII)
_BUILTINS = names(": [ cd echo exit false printf pwd set test time true wait")
_CONNECTIONS = ("/dev/tcp/", "/dev/udp/")

_ANY_OPTIONS = names(
    """
    ls cat head tail wc stat du df which type uname whoami id groups basename dirname realpath readlink cut tr nl tac
    rev paste fold expand unexpand comm cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od
    hexdump seq sleep free uptime nproc locale arch factor tty egrep fgrep grep rg sort uniq find
    """
)
"""Programs without an option that writes or runs; or the analysis of the line doubts all such options."""
_NAMES_FROM_FILES = re.compile(r"--f(i(l(e(s(0(-.*)?)?)?)?)?)?(=.*)?")
"""Option `--files0-from` with abbreviations: the program reads files whose names stand in a file."""
_REFUSED: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("wc", "du"), _NAMES_FROM_FILES),
    "sort": re.compile(r"-[a-zA-Z]*T.*|--t.*|--files0.*|--compress.*"),
    **dict.fromkeys(
        names("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum"), re.compile(r"-\w*c\w*|--c.*")
    ),
    "find": re.compile(r"-(exec|ok|delete|fprint|fls|execdir|okdir|files0).*"),
}
"""Options of a program that are not proved."""
_TABLES: dict[str, OptionTable] = {
    "diff": option_table(
        """
        -[abBcdeEipqrNstTuwyn0123456789] -U= -C= -I=~ -x=~ -W= --unified? --context? --brief --report-identical-files
        --recursive --new-file --text --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines
        --side-by-side --color? --exclude=~ --minimal --stat --no-dereference --strip-trailing-cr --width= --normal
        """
    ),
    "tree": option_table(
        """
        -[adfixshpugDFqNQrtcUvnCAS] -L= -P=~ -I=~ --dirsfirst --noreport --gitignore --prune --filelimit= --du --si
        --inodes --sort= --filesfirst --matchdirs --ignore-case
        """
    ),
    "file": option_table("-[bihkLNnprs0] --brief --mime --mime-type --mime-encoding --dereference --no-dereference"),
    "column": option_table("-[tnxe] -s=~ -c= -o=~ --table --separator=~ --output-separator=~"),
    **dict.fromkeys(
        ("fd", "fdfind"),
        option_table(
            """
            -[HIuasipgF0] -e= -t= -d= -E=~ --hidden --no-ignore --unrestricted --type= --extension= --max-depth=
            --min-depth= --exact-depth= --exclude=~ --glob --regex --fixed-strings --absolute-path --full-path
            --case-sensitive --ignore-case --color=
            """
        ),
    ),
}
_STARTING = frozenset(("timeout", "command"))
"""Programs that only start a further command, which the analysis finds as a command of the line."""
_VERSIONS = frozenset(("gcc", "git", "make", "node", "python", "python3"))
_SED_PRINTS = re.compile(r"\d+(,(\d+|\$))?p(;\s*\d+(,(\d+|\$))?p)*")
_JQ_FILTER = re.compile(r"[.\w\s\[\]\"|,():=<>!@-]*", re.ASCII)
_JQ_REFUSED = re.compile(r"\b(import|include|env|input\w*|inputs|debug|stderr|\w*file\w*|modulemeta|getpath)\b|\$")
_JQ_OPTION = re.compile(r"-[rceSCMnsajR]+|--(raw-output|compact-output|exit-status|sort-keys|slurp|tab)")
_DATE_OPTION = re.compile(r"\+.*|-[uR]|-I\w*|--utc|--iso-8601(=\w+)?|--rfc-3339=\w+|--date=.*", re.DOTALL)

Recursion = Literal["none", "visible", "all"]
"""Files whose contents a command prints below a directory: none, all without a dot at the front, or all."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Proof that the words of a line only read, with the facts that only the disk can prove."""

    programs: frozenset[str]
    """Programs that bash would look for on PATH."""
    recursion: Recursion = "none"
    starts_here: bool = False
    """Whether the recursion starts where the shell stands; otherwise the line names all starting points."""
    follows_links: bool = False
    """Whether the recursion follows symlinks."""
    includes: tuple[str, ...] = ()
    """Globs that limit the recursion to files with fitting names; empty without limit."""
    excluded_directories: frozenset[str] = field(default_factory=frozenset[str])
    git_contents: bool = False
    """Whether a command of git may print the contents of any tracked file."""

    def joined(self, other: "Reading") -> "Reading":
        """Return the proof for both; globs count only while a single command recurses."""
        both = "none" not in (self.recursion, other.recursion)
        order: tuple[Recursion, ...] = ("all", "visible", "none")
        return Reading(
            self.programs | other.programs,
            next(recursion for recursion in order if recursion in (self.recursion, other.recursion)),
            self.starts_here or other.starts_here,
            self.follows_links or other.follows_links,
            () if both else self.includes or other.includes,
            frozenset() if both else self.excluded_directories | other.excluded_directories,
            self.git_contents or other.git_contents,
        )


def proof_of_reading(line: str, findings: Findings) -> Reading | None:
    """Return the proof that every command of the line only reads, or None. Pure.

    `findings` are the findings with the wildcards looked up on disk.
    """
    if findings.unproved or not findings.commands or any(name in line for name in _CONNECTIONS):
        return None
    if not _is_plain(parse(to_parse(line))):
        return None
    proof = Reading(frozenset())
    for command in findings.commands:
        if (reading := _proof(command)) is None:
            return None
        proof = proof.joined(reading)
    return proof


def _is_plain(root: Node) -> bool:
    """Return whether the tree holds only constructs whose effect the findings show."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "&" or (node.is_named and node.type not in _NODES):
            return False
        if node.type == "simple_expansion" and source_of(node) not in _EXPANSIONS:
            return False
        if node.type == "variable_assignment" and not _ASSIGNMENT.fullmatch(source_of(node)):
            return False
        stack += node.children
    return True


def _proof(command: FoundCommand) -> Reading | None:
    if command.argv is None:
        is_test = command.harmless and command.text.startswith("[")
        return Reading(frozenset()) if is_test else None
    program, *arguments = command.argv
    if program in _BUILTINS:
        return Reading(frozenset()) if command.harmless else None
    own = Reading(frozenset((program,)))
    if program == "git":
        contents = git_reading(arguments)
        return None if contents is None else Reading(own.programs, git_contents=contents)
    if program in _VERSIONS and arguments in (["--version"], ["-V"]):
        return own
    if program in _STARTING:
        return own
    if (judge := _JUDGES.get(program)) is not None:
        return own if judge(arguments) else None
    if (table := _TABLES.get(program)) is not None:
        return _by_table(own, program, arguments, table)
    refused = _REFUSED.get(program)
    if program not in _ANY_OPTIONS or (refused is not None and any(map(refused.fullmatch, arguments))):
        return None
    if (search := _SEARCHES.get(program)) is None:
        return own
    found = search(program, arguments)
    return None if found is None else own.joined(found)


def _by_table(own: Reading, program: str, arguments: Sequence[str], table: OptionTable) -> Reading | None:
    given = read_options([plain_word(word) for word in (program, *arguments)], table)
    if given.unknown:
        return None
    if program == "diff" and given.named("-r", "--recursive") is not None:
        return Reading(own.programs, "all", follows_links=given.named("--no-dereference") is None)
    return own


def _grep(program: str, arguments: Sequence[str]) -> Reading | None:
    given = read_options([plain_word(word) for word in (program, *arguments)], GREP)
    if given.unknown or given.named("-d", "--directories") is not None:
        return None
    follows_links = given.named("-R", "--dereference-recursive") is not None
    if not follows_links and given.named("-r", "--recursive") is None:
        return Reading(frozenset())
    # The first of the options decides about files that no option names (grep(1), --include).
    globs = [option for option in given.options if option.name in ("--include", "--exclude", "--exclude-from")]
    only_includes = all(option.name == "--include" for option in globs)
    includes = tuple(option.value.value or "" for option in globs if option.value is not None) if only_includes else ()
    excluded = {option.value.value or "" for option in given.options if option.name == "--exclude-dir" and option.value}
    literal = frozenset(name for name in excluded if not set(name) & set("*?[\\/"))
    patterns = 0 if given.named("-e", "--regexp", "-f", "--file") is not None else 1
    starts_here = len(given.operands) <= patterns
    return Reading(frozenset(), "all", starts_here, follows_links, includes, literal)


def _rg(program: str, arguments: Sequence[str]) -> Reading | None:
    given = read_options([plain_word(word) for word in (program, *arguments)], RG)
    if given.unknown or given.named("-z", "--search-zip") is not None:
        return None
    if given.named("--files", "--type-list") is not None:
        return Reading(frozenset())  # Names alone.
    sees_more = ("-u", "-.", "-g", "--hidden", "--unrestricted", "--glob", "--iglob", "--no-ignore", "--ignore-file")
    sees_all = given.named(*sees_more) is not None
    follows_links = given.named("-L", "--follow") is not None
    patterns = 0 if given.named("-e", "--regexp", "-f", "--file") is not None else 1
    starts_here = len(given.operands) <= patterns
    return Reading(frozenset(), "all" if sees_all else "visible", starts_here, follows_links)


def _sed_prints(arguments: Sequence[str]) -> bool:
    if len(arguments) < 2 or arguments[0] != "-n" or _SED_PRINTS.fullmatch(arguments[1]) is None:
        return False
    return not any(word.startswith("-") for word in arguments[2:])


def _jq_reads(arguments: Sequence[str]) -> bool:
    rest = list(arguments)
    while rest and _JQ_OPTION.fullmatch(rest[0]):
        del rest[0]
    if not rest or rest[0].startswith("-") or any(word.startswith("-") for word in rest[1:]):
        return False
    return _JQ_FILTER.fullmatch(rest[0]) is not None and not _JQ_REFUSED.search(rest[0])


def _date_shows(arguments: Sequence[str]) -> bool:
    rest = [word for at, word in enumerate(arguments) if not (at and arguments[at - 1] in ("-d", "--date"))]
    return all(word in ("-d", "--date") or _DATE_OPTION.fullmatch(word) for word in rest)


_JUDGES: dict[str, Callable[[Sequence[str]], bool]] = {
    "sed": _sed_prints,
    "jq": _jq_reads,
    "date": _date_shows,
    "hostname": lambda arguments: not arguments,
}
_SEARCHES: dict[str, Callable[[str, Sequence[str]], Reading | None]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep"), _grep),
    "rg": _rg,
}
