"""Programs that start other programs: shells, wrappers, runners, xargs, find."""

import itertools
import re
from collections.abc import Callable, Sequence

from placet.core.values import replace
from placet.permissions.shell.inspection import (
    ONLY_WHEN_IT_RUNS,
    Inspection,
    Words,
    is_input,
    names,
)
from placet.permissions.shell.programs.irreversible import REMOVERS
from placet.permissions.shell.programs.option_tables import OptionTable, option_table, option_tables, read_options
from placet.permissions.shell.words import Word, plain_word

SHELLS = names("sh bash dash zsh ksh mksh ash rbash fish")
_LIKE_BASH = names("bash rbash")
_POSIX = names("sh dash ash")
_ONLY_IN_BASH = re.compile(r"\$['\"]|\[\[|\(\(|[<>]\(|<<<|\|&|&>|\b(function|select|coproc|time)\b")
"""Text that a plain POSIX shell reads otherwise than bash: a POSIX shell runs x in `[[ a || x ]]`."""

WRAPPERS = option_tables(
    """
    builtin busybox nohup toybox:
    bunx: --bun
    caffeinate: -[dimsu] -t= -w=
    chrt: -[abdfiomrv]
    command: -p
    doas: -n -C= -u=
    exec: -[cl] -a=
    flock: -[sxuneFo] -w= -E= --shared --exclusive --nonblock --close --verbose --wait= --timeout=
    ionice: -t -c= -n= --ignore --class= --classdata=
    nice: -[0123456789] -n= --adjustment=
    npx: -[yq] --yes --no --quiet
    setsid: -[cfw] --ctty --fork --wait
    stdbuf: -i= -o= -e= --input= --output= --error=
    sudo: -[AbEHknPS] -C= -g= -h= -p= -R= -r= -T= -t= -u= --non-interactive --preserve-env? --user= --group=
    taskset: -[ac]
    time: -[pv]
    timeout: -v -k= -s= --foreground --preserve-status --verbose --kill-after= --signal=
    unbuffer: -p
    uvx: -q -p= --quiet --python= --from= --with=
    """,
    ends_at_operand=True,
)
"""Options before the started command."""
_AFTER_AN_OPERAND = frozenset(("chrt", "flock", "taskset", "timeout"))
"""Programs with an operand before the started command."""
RUNNERS = {
    tuple(name.split("-", 1)): table
    for name, table in option_tables(
        """
        bundle-exec hatch-run pipenv-run pnpm-dlx pyenv-exec rbenv-exec rye-run yarn-exec:
        npm-exec npm-x: -y --yes
        pdm-run: -[sv]
        pixi-run: -[qv] -e= --environment=
        pnpm-exec: -r --recursive
        poetry-run yarn-dlx: -q
        uv-run: -[qv] -p= --quiet --no-sync --frozen --locked --offline --dev --all-extras --python= --with= --extra=
          --group=
        """,
        ends_at_operand=True,
    ).items()
}
"""Options of a subcommand that starts another program."""
_IN_THIS_SHELL = frozenset({"command", "builtin", "time"})
_XARGS = option_table(
    """
    -[0rtx] -d= -E= -I= -L= -n= -P= -s= --null --no-run-if-empty --verbose --exit --max-args= --max-procs= --max-chars=
    --delimiter= --replace? --max-lines? --show-limits --help --version
    """,
    ends_at_operand=True,
)
_ENV = option_table(
    """
    -[i0v] -u= --ignore-environment --null --debug --unset= --help --version
    """,
    ends_at_operand=True,
)
_FIND_TESTS = {
    0: names("""
        ! -not -a -and -o -or ( ) , -true -false -print -print0 -prune -quit -ls -depth -d -xdev -mount -noleaf
        -daystart -empty -executable -readable -writable -nouser -nogroup -nowarn -warn -ignore_readdir_race
        -noignore_readdir_race -P -help -version --help --version
    """),
    1: names("""
        -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype -type -xtype -size
        -perm -user -group -uid -gid -links -inum -samefile -newer -anewer -cnewer -mtime -atime -ctime -mmin -amin
        -cmin -used -fstype -maxdepth -mindepth -printf -context
    """),
}
_FIND_WRITES = {"-fprint": 1, "-fprint0": 1, "-fls": 1, "-fprintf": 2}
"""Actions that write the file named in the next word, and how many words each action takes."""
_FIND_RUNS = names("-exec -execdir -ok -okdir")
_FIND_LISTS = {
    **dict.fromkeys(_FIND_RUNS, (plain_word("-print0"),)),
    **dict.fromkeys(("-ls", "-print", "-print0", "-printf"), (plain_word("-true"),)),
    "-delete": (plain_word("-depth"), plain_word("-print0")),
}
"""Actions of find in a call that removes, and what stands in place of each to list what the call removes."""
_FILE_IN_A_WORD = re.compile(r"[\w./-]*\{\}[\w./-]*")
_SHELL_FLAGS = re.compile(r"-[aefhklmnpuvxBCHPl]*c[aefhklmnpuvxBCHPl]*")


def starts_programs(program: str) -> bool:
    """Return whether the program is a shell, or starts the program that its arguments name."""
    return program in SHELLS or program in WRAPPERS or program in ("env", "eval", "find", "gfind", "watch", "xargs")


def inspect_launcher(program: str, words: Words, doubted_assignment: Callable[[str], str]) -> Inspection | None:
    """Return the inspection of a launcher, or None if the program is no launcher."""
    if program in SHELLS:
        return _shell(program, words)
    if program == "env":
        return _env(words, doubted_assignment)
    if program in WRAPPERS:
        return _wrapper(program, words, doubted_assignment)
    if len(words) > 1 and (program, words[1].value or "") in RUNNERS:
        return _run_rest(words, RUNNERS[program, words[1].value or ""], start=2)
    if len(words) > 1 and (words[1].value or "").startswith("-"):
        runner = next((word.value for word in words[2:] if (program, word.value or "") in RUNNERS), None)
        if runner is not None:
            return Inspection(doubt=f"options stand before {runner}, which starts another program")
    match program:
        case "xargs":
            return _xargs(words)
        case "find" | "gfind":
            return _find(words)
        case _:
            return None


def _shell(program: str, words: Words) -> Inspection:
    for index, word in enumerate(words[1:], 1):
        value = word.value
        if value is None:
            return Inspection(doubt=ONLY_WHEN_IT_RUNS)
        if _SHELL_FLAGS.fullmatch(value):
            return _shell_code(program, words, index + 1)
        if is_input(word):
            break
        if not value.startswith(("-", "+")):
            return Inspection()  # A script: a program like any other.
        if value not in ("-e", "-x", "-u", "-l", "--norc", "--noprofile", "--posix", "--version", "--help"):
            return Inspection(doubt=f"with {value} it may run any code")
    return Inspection(doubt="it runs what it reads from its input")


def _shell_code(program: str, words: Words, at: int) -> Inspection:
    code = words[at].value if at < len(words) else None
    if code is None or words[at].has_wildcard or code.startswith(("-", "+")):  # Options may stand behind `-c` too.
        return Inspection(doubt="the code it runs is known only when it runs")
    if program not in _LIKE_BASH and (program not in _POSIX or _ONLY_IN_BASH.search(code)):
        return Inspection(doubt=f"{program} may read its code otherwise than bash")
    return Inspection(code=(code,), no_paths=frozenset({at}))


def _env(words: Words, doubted_assignment: Callable[[str], str]) -> Inspection:
    given = read_options(words, _ENV)
    start = given.operands[0] if given.operands else len(words)
    if any(word.value == "-" for word in words[1 : start + 1]):  # `env - a` is `env -i a`.
        return Inspection(doubt="its operand - changes what it starts with")
    return _after_assignments(words, start, given.unknown, doubted_assignment)


def _after_assignments(words: Words, index: int, unknown: str, doubted_assignment: Callable[[str], str]) -> Inspection:
    """Return the command behind assignments: every operand with a `=` is an assignment, whatever stands before the
    `=`."""
    doubt = f"its option {unknown} is not known here, or changes what it runs" if unknown else ""
    while index < len(words) and "=" in (words[index].value or words[index].source):
        doubt = doubt or doubted_assignment(words[index].value or words[index].source)
        index += 1
    if index >= len(words):
        return Inspection(doubt=doubt)
    return Inspection(runs=(tuple(words[index:]),), doubt=doubt)


def _wrapper(program: str, words: Words, doubted_assignment: Callable[[str], str]) -> Inspection:
    if program == "command" and len(words) > 1 and words[1].value in ("-v", "-V"):
        return Inspection(harmless=True)
    index, unknown = _first_operand(words, WRAPPERS[program])
    doubt = f"its option {unknown} is not known here" if unknown else ""
    if program == "sudo":
        return _after_assignments(words, index, unknown, doubted_assignment)
    is_keyword = words[0].value == "time" and not doubt
    if is_keyword and index < len(words) and "=" in (words[index].value or words[index].source):
        return replace(_after_assignments(words, index, unknown, doubted_assignment), in_this_shell=True)
    rest = tuple(words[index + (program in _AFTER_AN_OPERAND) :])
    if not rest:
        return Inspection(
            doubt=doubt or ("" if program in ("exec", "command", "builtin", "time") else "it runs nothing")
        )
    if program == "flock" and rest[0].value in ("-c", "--command"):
        return Inspection(doubt="it hands a command line to a shell")
    return Inspection(runs=(rest,), doubt=doubt, in_this_shell=program in _IN_THIS_SHELL, harmless=is_keyword)


def _first_operand(words: Words, table: OptionTable, start: int = 1) -> tuple[int, str]:
    """Return the index of the first operand, and the first unknown option, if any."""
    given = read_options(words, table, start)
    return (given.operands[0] if given.operands else len(words)), given.unknown


def _run_rest(words: Words, table: OptionTable, start: int) -> Inspection:
    index, unknown = _first_operand(words, table, start)
    rest = tuple(words[index:])
    doubt = f"its option {unknown} is not known here" if unknown else ""
    return Inspection(runs=(rest,) if rest else (), doubt=doubt)


def _xargs(words: Words) -> Inspection:
    given = read_options(words, _XARGS)
    rest = tuple(words[at] for at in given.operands) or (plain_word("echo"),)
    doubt = "it takes further arguments from its input"
    if rest[0].value == "echo" and not given.unknown:
        doubt = ""
    marks = [option.value.value for option in given.options if option.name in ("-I", "--replace") and option.value]
    return Inspection(runs=(rest,), doubt=doubt, removes_input=_only_removes(rest, marks))


def _find(words: Words) -> Inspection:
    runs: list[tuple[Word, ...]] = []
    writes: list[Word] = []
    no_paths: set[int] = set()
    doubt = ""
    starts = (word for word in words[1:] if word.value and not word.value.startswith(("-", "(", "!")))
    start = next(starts, plain_word("."))
    listing: list[Word] = []
    is_listed = True
    index = 1
    while index < len(words):
        first, value = index, words[index].value or ""
        if value in _FIND_RUNS:
            end = _end_of_action(words, index + 1)
            inner = tuple(_with_file(word) for word in words[index + 1 : end])
            runs += [inner] if inner else []
            is_listed = is_listed and _only_removes(inner)
            index = end
        elif value == "-delete":
            runs.append((plain_word("rm"), plain_word("-r"), start))
        elif value in _FIND_WRITES:
            writes += words[index + 1 : index + 2]
            index += _FIND_WRITES[value]
        elif value in _FIND_TESTS[1]:
            index += 1
            no_paths |= {index} if value in ("-name", "-iname", "-regextype", "-type", "-perm") else set()
        elif value in ("-L", "-follow", "-H", "-files0-from"):
            doubt = doubt or f"with {value} it may leave the directories it is told"
        elif value.startswith("-") and value not in _FIND_TESTS[0] and not _is_find_option(value):
            doubt = doubt or f"its option {value} is not known here"
        index += 1
        listing += _FIND_LISTS.get(value) or words[first:index]
    return Inspection(
        runs=tuple(runs),
        doubt=doubt,
        writes=tuple(writes),
        no_paths=frozenset(no_paths),
        listing=_listing(listing if runs else words[1:]) if is_listed and not (doubt or writes) else (),
    )


def _only_removes(words: Words, marks: Sequence[str | None] = ("{}",)) -> bool:
    """Return whether the command of find or xargs removes the files that it is given, and no other file. `marks` are
    the words in place of the files."""
    program = (words[0].value or "").rpartition("/")[2] if words else ""
    operands = [word.value for word in words[1:] if not (word.value or "").startswith("-")]
    return program in REMOVERS and all(operand in marks for operand in operands)


def _listing(words: Words) -> tuple[str, ...]:
    """Return the arguments of find if find prints paths alone.

    A wildcard outside of quotes becomes other words, but behind `-name` the names that it finds fit the wildcard too.
    """
    for before, word in itertools.pairwise((plain_word(""), *words)):
        is_known = word.value is not None and not (word.has_wildcard and before.value not in ("-name", "-iname"))
        if not is_known or word.value in ("-ls", "-printf"):
            return ()
    return tuple(word.value or "" for word in words)


def only_finds(arguments: Sequence[str]) -> bool:
    """Return whether find only prints names."""
    inspection = _find([plain_word(word) for word in ("find", *arguments)])
    return not (inspection.runs or inspection.writes or inspection.doubt)


def _is_find_option(value: str) -> bool:
    return re.fullmatch(r"-O[0-3]|-newer[aBcm][aBcmt]|-[EPXsx]+", value) is not None


def _end_of_action(words: Words, start: int) -> int:
    """Return the index of the `;` that ends an action of find, or of a `+` behind `{}`."""
    for at in range(start, len(words)):
        if words[at].value == ";" or (words[at].value == "+" and at > start and words[at - 1].value == "{}"):
            return at
    return len(words)


def _with_file(word: Word) -> Word:
    """Return a word of an action; unknown if find puts a file's name into possible code."""
    value = word.value
    if value is None or "{}" not in value or _FILE_IN_A_WORD.fullmatch(value):
        return word
    return Word(word.source, None, is_single_word=True)
