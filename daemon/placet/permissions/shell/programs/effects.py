"""Effects of a command on the files named in the command's words. An unknown program may write all of the files."""

from collections.abc import Sequence
from typing import NamedTuple

from placet.permissions.shell.findings import Effect, FoundCommand
from placet.permissions.shell.inspection import Inspection, Words, has_option, names
from placet.permissions.shell.programs.read_only import only_reads
from placet.permissions.shell.words import Word, as_pattern, texts, values

_WRITERS = names(
    "chgrp chmod chown chattr ex link ln mkdir mkfifo mknod mv nano rm rmdir shred sponge tee touch truncate unlink"
    " vi vim"
)
"""Programs that change every named file."""
_COPIERS = names("cp gcp ginstall install ln mv")
"""Programs that change their last operand, or write below the last operand under the names of the other operands."""
_READERS = names(
    "[ awk bat cd command env exec gawk less ls mawk more nawk nice nohup popd pushd stdbuf test time timeout view"
    " xargs"
)
"""Programs that write no file among the arguments; a command started by such a program is judged separately."""
_GIT_OWN = names(
    "add branch check-ignore checkout cherry-pick clean commit fetch hash-object init merge pull push rebase reset"
    " restore revert rm stage stash switch tag update-index"
)
"""Commands of git that take names of tracked files, and change these files as git itself would."""
_EXCLUDING = ("--exclude", "--ignore")


class Touched(NamedTuple):
    word: Word
    effect: Effect
    is_landing: bool = False


def touched(words: Words, inspection: Inspection, command: FoundCommand) -> list[Touched]:
    """Return the words after the program's name, each with the effect on the file that the word may name."""
    program = program_of(words)
    paths = [word for index, word in enumerate(words) if index and index not in inspection.no_paths]
    if program in _COPIERS and not has_option(words, "t", ("target-directory",)):
        return _copied(program, paths)
    if program in ("find", "gfind"):
        starts = _starting_points(paths)
        most = _strongest({effect_of(inner, _command(inner)) for inner in inspection.runs})
        return [Touched(word, most) if word in starts else Touched(word, "reads") for word in paths]
    effect: Effect = "reads" if inspection.runs else effect_of(words, command)
    return [Touched(word, "reads" if _is_excluded(word, effect) else effect) for word in paths]


def program_of(words: Words) -> str:
    """Return the program's name without a directory."""
    return (words[0].value or "").rpartition("/")[2]


def effect_of(words: Words, command: FoundCommand) -> Effect:
    """Return the command's effect on a file among the operands."""
    program = program_of(words)
    if command.harmless or program in _READERS or only_reads(command):
        return "reads"
    if program in _WRITERS or program in _COPIERS:
        return "writes"
    if program in ("sed", "gsed"):
        return "writes" if has_option(words, "i", ("in-place",)) else "reads"
    if program == "git" and not has_option(words, "oO", ("output", "output-directory", "prefix")):
        operands = [word.value for word in words[1:] if not (word.value or "-").startswith("-")]
        return "reads" if not _GIT_OWN.isdisjoint(filter(None, operands[:2])) else "may write"
    return "may write"


def _copied(program: str, paths: Sequence[Word]) -> list[Touched]:
    """Return the sources, the target, and the names of the sources below a target that is a directory."""
    source_effect: Effect = "reads" if program in ("cp", "gcp", "install", "ginstall") else "writes"
    operands = [word for word in paths if not (word.value or "").startswith("-")]
    if len(operands) < 2:
        return [Touched(word, "writes") for word in paths]
    target = operands[-1]
    touches = [Touched(word, "writes" if word is target else source_effect) for word in paths]
    return touches + [
        Touched(_below(target, source), "writes", is_landing=True) for source in operands[:-1] if source.value
    ]


def _below(target: Word, source: Word) -> Word:
    name = (source.value or "").rstrip("/").rpartition("/")[2]
    if target.value is None or target.has_wildcard or source.has_wildcard:
        if target.value is None:
            return Word(source.source, None)
        pattern = (
            f"{target.pattern or as_pattern(target.value)}/{(source.pattern or as_pattern(name)).rpartition('/')[2]}"
        )
        return Word(target.source, f"{target.value}/{name}", has_wildcard=True, pattern=pattern)
    return Word(target.source, f"{target.value}/{name}")


def _strongest(effects: set[Effect]) -> Effect:
    if "writes" in effects:
        return "writes"
    return "may write" if "may write" in effects else "reads"


def _command(words: Words) -> FoundCommand:
    return FoundCommand(texts(words), values(words))


def _starting_points(paths: Sequence[Word]) -> list[Word]:
    starts: list[Word] = []
    for word in paths:
        if (word.value or "-").startswith(("-", "(", "!")) and word.value not in ("-L", "-H", "-P"):
            break
        starts.append(word)
    return starts


def _is_excluded(word: Word, effect: Effect) -> bool:
    return effect == "may write" and (word.value or "").startswith(_EXCLUDING)
