"""Effects of a command on the files named in the command's words. An unknown program may write all of the files."""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from placet.permissions.shell.findings import Effect, FoundCommand
from placet.permissions.shell.inspection import Inspection, Words, has_option, names
from placet.permissions.shell.programs.git_options import git_words
from placet.permissions.shell.programs.irreversible import REMOVERS
from placet.permissions.shell.programs.reading import only_reads
from placet.permissions.shell.words import Word, as_pattern, plain_word, texts, values

_WRITERS = names(
    "black bunzip2 bzip2 chattr chgrp chmod chown dos2unix ed ex gunzip gzip isort link ln mkdir mkfifo mknod mv nano"
    " patch rustfmt setfacl sponge tee touch truncate unix2dos unxz vi vim xz"
)
"""Programs that change every named file."""
_IN_PLACE = {
    **dict.fromkeys(("sed", "gsed", "perl", "ruby"), ("i", ("in-place",))),
    "awk": ("", ("include=inplace",)),
    "clang-format": ("i", ()),
    "eslint": ("", ("fix",)),
    "gofmt": ("w", ()),
    "prettier": ("w", ("write",)),
    "yq": ("i", ("inplace", "in-place")),
}
"""Programs that change the named files only with one of these options: letters, and long names."""
_COPIERS = names("cp gcp ginstall install ln mv rsync")
"""Programs that change their last operand, or write below the last operand under the names of the other operands."""
_READERS = names(
    "[ awk bat cd command env exec gawk less ls mawk more nawk nice nohup popd pushd stdbuf test time timeout view"
    " xargs"
)
"""Programs that write no file among the arguments; a command started by such a program is judged separately."""
_GIT_OWN = names(
    "add branch check-ignore cherry-pick commit fetch hash-object init merge pull push rebase reset revert stage stash"
    " switch tag update-index"
)
"""Commands of git that take names of tracked files, and change no named file."""
_GIT_WRITES = names("checkout clean mv restore rm")
"""Commands of git that change the named files."""
_EXCLUDING = ("--exclude", "--ignore")


class Touched(NamedTuple):
    word: Word
    effect: Effect
    is_landing: bool = False


def touched(words: Words, inspection: Inspection, command: FoundCommand) -> list[Touched]:
    """Return the words after the program's name, each with the effect on the file that the word may name."""
    program = program_of(words)
    paths = [word for index, word in enumerate(words) if index and index not in inspection.no_paths]
    if program in _COPIERS:
        return _copied(program, paths)
    if program in ("find", "gfind"):
        starts = _starting_points(paths)
        most = _strongest({effect_of(inner, _command(inner)) for inner in inspection.runs})
        if most == "removes" and inspection.listing:
            most = "writes"  # The listing says which files below are removed.
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
    if program in REMOVERS:
        return "removes"
    if program in _WRITERS or program in _COPIERS:
        return "writes"
    if program in _IN_PLACE and has_option(words, *_IN_PLACE[program]):
        return "writes"
    if program in ("sed", "gsed"):
        return "reads"
    if program == "git" and not has_option(words, "oO", ("output", "output-directory", "prefix")):
        name = next(iter(git_words([word.value or "" for word in words])), "")
        return "writes" if name in _GIT_WRITES else "reads" if name in _GIT_OWN else "may write"
    return "may write"


def _copied(program: str, paths: Sequence[Word]) -> list[Touched]:
    """Return the sources, the target, and the names of the sources below a target that is a directory."""
    is_symlink = program == "ln" and bool(has_option([plain_word(program), *paths], "s", ("symbolic",)))
    source_effect: Effect = "writes" if program == "mv" or (program == "ln" and not is_symlink) else "reads"
    operands = [word for word in paths if not (word.value or "").startswith("-")]
    target = _target_directory(paths) or (operands[-1] if len(operands) > 1 else None)
    if target is None:
        return [Touched(word, "writes") for word in paths]
    sources = [word for word in operands if word is not target]
    if is_symlink:
        sources = [_led_to(target, source) for source in sources]
        paths = [word for word in paths if word is target or word not in operands] + sources
    touches = [Touched(word, "writes" if word is target else source_effect) for word in paths]
    return [
        *touches,
        Touched(target, "writes"),
        *(Touched(_below(target, source), "writes", is_landing=True) for source in sources if source.value),
    ]


def _target_directory(paths: Sequence[Word]) -> Word | None:
    """Return the directory that the option `-t` of cp, mv, ln and install names, or None."""
    for word, following in itertools.zip_longest(paths, paths[1:]):
        value = word.value or ""
        name, equals, glued = value.partition("=")
        if equals and len(name) > 2 and "--target-directory".startswith(name):
            return plain_word(glued)
        if value == "-t" or (len(value) > 2 and not equals and "--target-directory".startswith(value)):
            return following
        if (cluster := re.fullmatch(r"-[A-Za-su-z]*t(.*)", value)) is not None:
            return plain_word(cluster[1]) if cluster[1] else following
    return None


def _led_to(target: Word, source: Word) -> Word:
    """Return where a symlink at the target leads: a relative text begins at the directory of the link."""
    value = source.value or ""
    if target.value is None or not value or value.startswith(("/", "~")) or target.has_wildcard or source.has_wildcard:
        return source
    parent, slash, _ = target.value.rpartition("/")
    return plain_word(f"{parent if slash else '.'}/{value}")


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
    by_strength: list[Effect] = ["removes", "writes", "may write", "reads"]
    return min(effects or by_strength[-1:], key=by_strength.index)


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
