"""Commands known to change no file, so no file around the command needs a look. Conservative: if in doubt, a command
writes."""

import re
from collections.abc import Callable, Sequence

from placet.permissions.shell.findings import Findings, FoundCommand
from placet.permissions.shell.inspection import names

_ANY_ARGUMENTS = names(
    """
    ls cat head tail wc grep egrep fgrep stat du df pwd which type uname whoami id groups hostname printenv basename
    dirname realpath readlink cut tr nl tac rev paste fold expand unexpand comm cmp md5sum sha1sum sha224sum sha256sum
    sha384sum sha512sum b2sum cksum sum hexdump od strings seq sleep ps pgrep free uptime nproc locale getconf arch
    lsof lsblk jq true false yes numfmt tsort factor tty
    """
)
"""Programs that write only to the output, whatever the arguments."""

_WRITING_OPTIONS = {
    "rg": re.compile(r"--pre$|--pre=|--hostname-bin"),
    "find": re.compile(r"-(exec|ok|delete|fprint|fls|execdir|okdir|fprintf|fprint0)"),
    "fd": re.compile(r"-[a-zA-Z]*[xX]|--exec"),
    "sort": re.compile(r"-[a-zA-Z]*[oT]|--o|--t|--compress|--comp"),
    "tree": re.compile(r"-[a-zA-Z]*o|--output"),
    "diff": re.compile(r"--o"),
    "file": re.compile(r"-[a-zA-Z]*C|--compile"),
    "date": re.compile(r"-[a-zA-Z]*s|--s"),
    "column": re.compile(r"$^"),
    "time": re.compile(r"-[a-zA-Z]*o|--o"),
}
"""Programs that write only with some options. A command started by `time` is judged separately."""

_STARTING = frozenset(("timeout", "nice", "stdbuf", "command", "builtin"))
"""Programs that only start another command, which is judged separately."""

_GIT = names(
    """
    status log show diff blame annotate rev-parse rev-list ls-files ls-tree cat-file describe shortlog name-rev
    merge-base show-ref for-each-ref grep whatchanged count-objects var version check-ignore check-attr diff-tree
    diff-index diff-files cherry range-diff
    """
)
_GIT_WRITES = ("--output", "--output-directory", "--ext-diff", "--textconv", "--open-files-in-pager", "--filters")
_GIT_LISTS: dict[str, re.Pattern[str]] = {
    "branch": re.compile(r"(-[avr]+|--(list|all|remotes|verbose|show-current))"),
    "tag": re.compile(r"(-l|--list)"),
    "remote": re.compile(r"(-v|--verbose|show|get-url)"),
    "stash": re.compile(r"(list|show)"),
    "worktree": re.compile(r"list"),
    "config": re.compile(r"(--get(-all|-regexp)?|--list|-l|get|list)"),
    "reflog": re.compile(r"show"),
}
"""Commands of git that only list when the first word fits, or without a word."""
_NEEDS_A_WORD = frozenset(("config", "stash", "worktree"))

_VERSIONS = names("git node npm python python3 pip cargo rustc go java gcc make cmake ruby php deno bun uv")
_WILDCARDS = ("*", "?", "[")
_SED_PRINTS = re.compile(r"\d+(,(\d+|\$))?p")


def is_read_only(findings: Findings) -> bool:
    """Return whether every command of the line is known to write no file, and the list of commands is certain."""
    return not findings.unproved and all(map(only_reads, findings.commands))


def only_reads(command: FoundCommand) -> bool:
    """Return whether the command by itself is known to write no file."""
    if command.harmless:
        return True
    if command.argv is None:
        return False  # A redirection into a file, or a construct that only bash can evaluate.
    program, *arguments = command.argv
    if program in _ANY_ARGUMENTS or program in _STARTING:
        return True
    # An unquoted wildcard may become an option: a file may be called `-o`.
    if any(word.startswith(_WILDCARDS) for word in command.text.split()):
        return False
    if (writes := _WRITING_OPTIONS.get(program)) is not None:
        return not any(map(writes.match, arguments))
    judge = _JUDGES.get(program)
    if judge is not None and judge(arguments):
        return True
    return program in _VERSIONS and arguments in (["--version"], ["-V"], ["version"])


def _git_only_reads(arguments: Sequence[str]) -> bool:
    words = list(arguments)
    while words and words[0] in ("-C", "--no-pager", "-P", "--no-optional-locks"):
        del words[: 2 if words[0] == "-C" else 1]
    if not words:
        return False
    name, *rest = words
    if any(map(_may_write_for_git, rest)):
        return False
    if name in _GIT:
        return True
    lists = _GIT_LISTS.get(name)
    if lists is None:
        return False
    return lists.fullmatch(rest[0]) is not None if rest else name not in _NEEDS_A_WORD


def _may_write_for_git(word: str) -> bool:
    """Return whether the word is an option, perhaps shortened, by which git writes a file or runs a program."""
    option = word.partition("=")[0]
    return word.startswith("-O") or (
        len(option) > 2 and any(writing_option.startswith(option) for writing_option in _GIT_WRITES)
    )


def _sed_only_prints(arguments: Sequence[str]) -> bool:
    return len(arguments) >= 2 and arguments[0] == "-n" and _only_prints(arguments[1:])


def _only_prints(arguments: Sequence[str]) -> bool:
    script, *files = arguments
    return _SED_PRINTS.fullmatch(script) is not None and not any(file.startswith("-") for file in files)


_JUDGES: dict[str, Callable[[Sequence[str]], bool]] = {"git": _git_only_reads, "sed": _sed_only_prints}
