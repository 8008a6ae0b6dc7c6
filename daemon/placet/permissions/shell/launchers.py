"""Programs that start other programs: shells, wrappers, runners, xargs, find."""

import re
from collections.abc import Callable

from placet.permissions.shell.inspection import (
    ONLY_WHEN_IT_RUNS,
    Inspection,
    Options,
    Words,
    names,
    options,
    skip_options,
)
from placet.permissions.shell.words import Word, plain_word

SHELLS = names("sh bash dash zsh ksh mksh ash rbash fish")

# Options before the command they start, and how many operands stand between.
WRAPPERS: dict[str, tuple[Options, int]] = {
    "nice": (options("0123456789", "n", long_valued="adjustment"), 0),
    "nohup": (options(), 0),
    "setsid": (options("cfw", long_flags="ctty fork wait"), 0),
    "timeout": (options("v", "ks", "foreground preserve-status verbose", "kill-after signal"), 1),
    "stdbuf": (options("", "ioe", long_valued="input output error"), 0),
    "ionice": (options("t", "cn", "ignore", "class classdata"), 0),
    "chrt": (options("abdfiomrv"), 1),
    "taskset": (options("ac"), 1),
    "time": (options("pv"), 0),
    "sudo": (options("AbEHknPS", "CghpRrTtu", "non-interactive preserve-env", "user group"), 0),
    "doas": (options("n", "Cu"), 0),
    "command": (options("p"), 0),
    "builtin": (options(), 0),
    "exec": (options("cl", "a"), 0),
    "busybox": (options(), 0),
    "toybox": (options(), 0),
    "flock": (options("sxuneFov", "wE", "shared exclusive nonblock close verbose", "wait timeout"), 1),
    "caffeinate": (options("dimsu", "tw"), 0),
    "unbuffer": (options("p"), 0),
    "npx": (options("yq", "", "yes no quiet"), 0),
    "bunx": (options("", "", "bun"), 0),
    "uvx": (options("q", "p", "quiet", "python from with"), 0),
}
RUNNERS: dict[tuple[str, str], Options] = {
    ("uv", "run"): options("qv", "p", "quiet no-sync frozen locked offline dev all-extras", "python with extra group"),
    ("poetry", "run"): options("q"),
    ("pipenv", "run"): options(),
    ("pdm", "run"): options("sv"),
    ("hatch", "run"): options(),
    ("rye", "run"): options(),
    ("pixi", "run"): options("qv", "e", long_valued="environment"),
    ("bundle", "exec"): options(),
    ("npm", "exec"): options("y", "", "yes"),
    ("pnpm", "exec"): options("r", "", "recursive"),
    ("pnpm", "dlx"): options(),
    ("yarn", "exec"): options(),
    ("yarn", "dlx"): options("q"),
    ("rbenv", "exec"): options(),
    ("pyenv", "exec"): options(),
}
_IN_THIS_SHELL = frozenset({"command", "builtin", "time"})
_XARGS = options(
    "0rtxpo",
    "adEILnPs",
    "null no-run-if-empty verbose interactive exit open-tty",
    "max-args max-procs max-chars delimiter arg-file replace",
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_SHELL_FLAGS = re.compile(r"-[aefhklmnpuvxBCHPl]*c[aefhklmnpuvxBCHPl]*")


def inspect_launcher(program: str, words: Words, doubted_assignment: Callable[[str], str]) -> Inspection | None:
    """None where the program is none of these."""
    if program in SHELLS:
        return _shell(words)
    if program == "env":
        return _env(words, doubted_assignment)
    if program in WRAPPERS:
        known, operands = WRAPPERS[program]
        return _wrapper(program, words, known, operands, doubted_assignment)
    if len(words) > 1 and (program, words[1].value or "") in RUNNERS:
        return _run_rest(words, RUNNERS[program, words[1].value or ""], start=2)
    match program:
        case "xargs":
            return _xargs(words)
        case "find" | "gfind":
            return _find(words)
        case "watch":
            return _watch(words)
        case _:
            return None


def _shell(words: Words) -> Inspection:
    for index, word in enumerate(words[1:], 1):
        value = word.value
        if value is None:
            return Inspection(doubt=ONLY_WHEN_IT_RUNS)
        if _SHELL_FLAGS.fullmatch(value):
            code = words[index + 1].value if index + 1 < len(words) else None
            if code is None or words[index + 1].has_wildcard:
                return Inspection(doubt="the code it runs is known only when it runs")
            return Inspection(code=(code,), no_paths=frozenset({index + 1}))
        if not value.startswith(("-", "+")):
            return Inspection()  # A script: a program like any other.
        if value not in ("-e", "-x", "-u", "-l", "--norc", "--noprofile", "--posix", "--version", "--help"):
            return Inspection(doubt=f"with {value} it may run any code")
    return Inspection(doubt="it runs what it reads from its input")


def _env(words: Words, doubted_assignment: Callable[[str], str]) -> Inspection:
    index, unknown = skip_options(words, options("i0v", "u", "ignore-environment null debug", "unset"))
    return _after_assignments(words, index, unknown, doubted_assignment)


def _after_assignments(words: Words, index: int, unknown: str, doubted_assignment: Callable[[str], str]) -> Inspection:
    doubt = f"its option {unknown} is not known here" if unknown else ""
    while index < len(words) and _ASSIGNMENT.match(words[index].value or words[index].source):
        doubt = doubt or doubted_assignment(words[index].source)
        index += 1
    if index >= len(words):
        return Inspection(doubt=doubt)
    return Inspection(runs=(tuple(words[index:]),), doubt=doubt)


def _wrapper(
    program: str, words: Words, known: Options, operands: int, doubted_assignment: Callable[[str], str]
) -> Inspection:
    if program == "command" and len(words) > 1 and words[1].value in ("-v", "-V"):
        return Inspection(harmless=True)
    index, unknown = skip_options(words, known)
    doubt = f"its option {unknown} is not known here" if unknown else ""
    if program == "sudo":
        return _after_assignments(words, index, unknown, doubted_assignment)
    rest = tuple(words[index + operands :])
    if not rest:
        return Inspection(
            doubt=doubt or ("" if program in ("exec", "command", "builtin", "time") else "it runs nothing")
        )
    if program == "flock" and rest[0].value in ("-c", "--command"):
        return Inspection(doubt="it hands a command line to a shell")
    is_keyword = words[0].value == "time" and not doubt
    return Inspection(runs=(rest,), doubt=doubt, in_this_shell=program in _IN_THIS_SHELL, harmless=is_keyword)


def _run_rest(words: Words, known: Options, start: int) -> Inspection:
    index, unknown = skip_options(words, known, start)
    rest = tuple(words[index:])
    doubt = f"its option {unknown} is not known here" if unknown else ""
    return Inspection(runs=(rest,) if rest else (), doubt=doubt)


def _xargs(words: Words) -> Inspection:
    index, unknown = skip_options(words, _XARGS)
    rest = tuple(words[index:]) or (plain_word("echo"),)
    doubt = "" if rest[0].value == "echo" and not unknown else "it takes further arguments from its input"
    return Inspection(runs=(rest,), doubt=doubt)


def _watch(words: Words) -> Inspection:
    index, unknown = skip_options(words, options("bcdegtwpr", "n", "differences errexit no-title", "interval"))
    rest = [word.value for word in words[index:] if word.value is not None]
    if len(rest) < len(words) - index or unknown:
        return Inspection(doubt=ONLY_WHEN_IT_RUNS)
    return Inspection(code=(" ".join(rest),), no_paths=frozenset(range(index, len(words))))


def _find(words: Words) -> Inspection:
    runs: list[tuple[Word, ...]] = []
    doubt = ""
    index = 1
    while index < len(words):
        value = words[index].value
        if value in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((at for at in range(index + 1, len(words)) if words[at].value in (";", "+")), len(words))
            inner = tuple(words[index + 1 : end])
            runs += [inner] if inner else []
            index = end
        elif value == "-delete":
            starts = tuple(word for word in words[1:] if word.value and not word.value.startswith(("-", "(", "!")))
            runs.append((plain_word("rm"), plain_word("-r"), *(starts[:1] or (plain_word("."),))))
        elif value in ("-L", "-follow", "-H", "-files0-from"):
            doubt = f"with {value} it may leave the directories it is told"
        index += 1
    return Inspection(runs=tuple(runs), doubt=doubt)
