"""Bash's own commands: harmless commands, and commands with hidden effects.

`test -v 'a[$(rm x)]'` and `printf -v 'a[$(rm x)]' y` run rm: this module lists the forms proved to evaluate nothing.
"""

import re
from fnmatch import fnmatchcase
from itertools import pairwise

from placet.permissions.shell.assignments import assignment_doubt
from placet.permissions.shell.inspection import ONLY_WHEN_IT_RUNS, Inspection, Words, names
from placet.permissions.shell.words import Word, plain_word

_HARMLESS = names(": true false test [ echo printf exit return break continue shift wait pwd times umask")
_ASKED = names(
    "alias bind complete compgen compopt enable fc hash let mapfile readarray shopt unalias history logout suspend"
    " coproc getopts disown ulimit jobs fg bg caller dirs set read declare typeset local export readonly unset"
)
_HEEDLESS = names(": true false echo")
"""Builtins without any effect, whatever a wildcard becomes."""
_EVALUATING_TESTS = ("-v", "-R")
_ONE_NUMBER = ("$?", "$#", "$$")
_PLAIN_FORMAT = re.compile(
    r"(?:[^%]|%%|%[-+ #0']*(?:\*|\d*)(?:\.(?:\*|\d*))?(?:hh?|ll?|[jztL])?[diouxXeEfFgGaAcsbqQ]|%\([^()]*\)T)*%?",
    re.DOTALL | re.ASCII,
)
"""Format of `printf` without `%n`, which sets a variable."""
_BUILTINS = _HARMLESS | _ASKED | names("eval trap source . exit return")
_SAFE_SETTINGS = re.compile(r"[-+][euxvfCnhm]*|[-+][eux]*o|pipefail|errexit|nounset|xtrace|noclobber|noglob")


def inspect_builtin(program: str, words: Words) -> Inspection | None:
    """Return the inspection of a builtin, or None if the program is no builtin of this module."""
    match program:
        case "test" | "[":
            doubt = _test_doubt(words)
            return Inspection(harmless=not doubt, doubt=doubt, takes_anything=not doubt)
        case "printf":
            return _printing(words, _printf_doubt(words))
        case "echo":
            return _printing(words, "")
        case _ if program in _BUILTINS - _HEEDLESS and any(word.has_wildcard for word in words[1:]):
            return Inspection(doubt="a wildcard may become any word")
        case "wait" if any(
            word.source not in ("$!", '"$!"', "-n", "-f") and not _is_number(word) for word in words[1:]
        ):
            return Inspection(doubt="it may evaluate what stands in brackets")
        case "exit" | "return" if len(words) > 1 and words[1].value is None:
            return Inspection(harmless=True, takes_anything=True)
        case "eval":
            return _eval(words)
        case "trap":
            return _trap(words)
        case "source" | ".":
            return Inspection(doubt="it runs the file in this shell")
        case "set" if all(_SAFE_SETTINGS.fullmatch(word.value or "$") for word in words[1:]) and len(words) > 1:
            return Inspection(harmless=True)
        case "read":
            return _read(words)
        case _ if program in _HARMLESS:
            return Inspection(harmless=True, takes_anything=True)
        case _ if program in _ASKED:
            return Inspection(doubt="it changes how the shell itself reads or runs what follows")
        case _:
            return None


def _test_doubt(words: Words) -> str:
    """Return why `test` may run the content of a word: `-v` and `-R` evaluate the following word.

    `test` evaluates nothing, in any parse of its words, unless a possible `-v` or `-R` stands before a possible
    bracket.
    """
    operands = words[1:-1] if words[0].value == "[" and words[-1].value == "]" else words[1:]
    if any(word.value is None and not word.is_single_word and word.source not in _ONE_NUMBER for word in operands):
        return "an unquoted variable may become an operator that evaluates"
    if any(word.has_wildcard and _may_evaluate(word) for word in operands):
        return "a wildcard may become an operator that evaluates"
    if any(_may_evaluate(word) and not _is_without_index(following) for word, following in pairwise(operands)):
        return "it may evaluate what stands in brackets"
    return ""


def _may_evaluate(word: Word) -> bool:
    if word.value is None:
        return word.source not in _ONE_NUMBER
    if word.has_wildcard:
        return "[" in word.value or any(fnmatchcase(operator, word.value) for operator in _EVALUATING_TESTS)
    return word.value in _EVALUATING_TESTS


def _is_without_index(word: Word) -> bool:
    return word.source in _ONE_NUMBER or (word.value is not None and not word.has_wildcard and "[" not in word.value)


def _printf_doubt(words: Words) -> str:
    operands = words[2:] if len(words) > 1 and words[1].value == "--" else words[1:]
    if not operands:
        return ""
    text = operands[0].value
    if text is None or operands[0].has_wildcard or (operands[0] is words[1] and text.startswith("-")):
        return "it may assign to a variable"
    return "" if _PLAIN_FORMAT.fullmatch(text) else "its format may assign to a variable"


def _is_number(word: Word) -> bool:
    return word.value is not None and re.fullmatch(r"%?\d+", word.value) is not None


def is_builtin(name: str) -> bool:
    """Return whether bash has a command of its own by this name that this module judges."""
    return name in ("cd", "pushd", "popd") or inspect_builtin(name, (plain_word(name),)) is not None


def _printing(words: Words, doubt: str) -> Inspection:
    no_paths = frozenset(range(1, len(words)))
    return Inspection(harmless=not doubt, doubt=doubt, no_paths=no_paths, takes_anything=True)


def _eval(words: Words) -> Inspection:
    values = [word.value for word in words[1:]]
    if any(value is None for value in values) or any(word.has_wildcard for word in words):
        return Inspection(doubt=ONLY_WHEN_IT_RUNS)
    code = " ".join(value or "" for value in values)
    return Inspection(code=(code,), in_this_shell=True, no_paths=frozenset(range(1, len(words))))


def _trap(words: Words) -> Inspection:
    if len(words) < 3:
        return Inspection(harmless=len(words) == 1 or words[1].value in ("-l", "-p"))
    code = words[1].value
    if code is None or (code.startswith("-") and code != "-"):
        return Inspection(doubt=ONLY_WHEN_IT_RUNS)
    return Inspection(code=() if code == "-" else (code,), no_paths=frozenset({1}))


def _read(words: Words) -> Inspection:
    """Return the inspection of `read`: harmless with plain names; with `a[…]`, `read` evaluates the index."""
    named = [word.value or "$" for word in words[1:] if not re.fullmatch(r"-[rs]+", word.value or "$")]
    plain = all(re.fullmatch(r"[a-z_]+", name) and not assignment_doubt(f"{name}=") for name in named)
    return Inspection(harmless=plain, doubt="" if plain else "it may evaluate what stands in brackets")
