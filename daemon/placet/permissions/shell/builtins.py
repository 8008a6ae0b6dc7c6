"""Bash's own commands: which do nothing by themselves, and which can do what does not show."""

import re

from placet.permissions.shell.inspection import ONLY_WHEN_IT_RUNS, Inspection, Words, names
from placet.permissions.shell.words import Word, plain_word

_HARMLESS = names(": true false test [ echo printf exit return break continue shift wait pwd times umask")
_ASKED = names(
    "alias bind complete compgen compopt enable fc hash let mapfile readarray shopt unalias history logout suspend"
    " coproc getopts disown ulimit jobs fg bg caller dirs set read"
)
_SAFE_SETTINGS = re.compile(r"[-+][euxvfCnhm]*|[-+][eux]*o|pipefail|errexit|nounset|xtrace|noclobber|noglob")


def inspect_builtin(program: str, words: Words) -> Inspection | None:
    """None where it is none of these."""
    match program:
        case "test" | "[":
            doubt = _test_doubt(words)
            return Inspection(harmless=not doubt, doubt=doubt, takes_anything=not doubt)
        case "wait" if any(
            word.source not in ("$!", '"$!"', "-n", "-f") and not _is_number(word) for word in words[1:]
        ):
            return Inspection(doubt="it may evaluate what stands in brackets")
        case "printf":
            options = [word.value for word in words[1:] if word.value is None or word.value.startswith("-")]
            assigns = bool(options) and words[1].value in (None, *options) and words[1].value != "--"
            return _printing(words, "it may assign to a variable" if assigns and _may_be_option(words) else "")
        case "echo":
            return _printing(words, "")
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
    """`test -v 'a[…]'` evaluates the index; so nothing that is not known may become the operator."""
    known = [word for word in words[1:] if word.value != "]"]
    if any(word.value in ("-v", "-R") for word in known):
        return "it may evaluate what stands in brackets"
    if any(word.value is None and not word.is_one and word.source not in ("$?", "$#", "$$", "$!") for word in known):
        return "an unquoted variable may become an operator that evaluates"
    if len(known) == 2 and known[0].value is None:
        return "its operator is known only when it runs"
    return ""


def _is_number(word: Word) -> bool:
    return word.value is not None and re.fullmatch(r"%?\d+", word.value) is not None


def is_builtin(name: str) -> bool:
    """Whether bash has a command of its own by that name which this module judges."""
    return name in ("cd", "pushd", "popd") or inspect_builtin(name, (plain_word(name),)) is not None


def _may_be_option(words: Words) -> bool:
    value = words[1].value
    return (value is None and not words[1].is_one) or (value or "-v").startswith("-v") or value is None


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
    """Into plain names it is harmless; into `a[…]` it evaluates the index."""
    plain = all(re.fullmatch(r"-[rs]+|[a-z_]+", word.value or "$") for word in words[1:])
    return Inspection(harmless=plain, doubt="" if plain else "it may evaluate what stands in brackets")
