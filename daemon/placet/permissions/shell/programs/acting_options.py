"""Options by which programs without a list of options run a program, write a file, or read names from a file."""

import re

from placet.permissions.shell.inspection import Inspection, Words, has_option, names
from placet.permissions.shell.words import Word

_OPTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bsdtar": ("IT", ("use-compress-program", "files-from")),
    "rsync": ("eM", ("rsh", "rsync-path", "files-from", "daemon", "config", "remote-option")),
    "zip": ("T@", ("unzip-command", "names-stdin")),
    "man": ("PH", ("pager", "html", "preprocessor")),
    **dict.fromkeys(("fd", "fdfind"), ("xX", ("exec", "exec-batch"))),
    "ag": ("", ("pager",)),
    "ack": ("", ("pager", "ackrc", "files-from")),
    "bat": ("", ("pager", "config-file")),
    "cargo": ("", ("config",)),
    "scp": ("SoFD", ()),
    "sftp": ("SobFD", ()),
    "npm": ("", ("script-shell", "node-options", "userconfig", "globalconfig", "git", "editor", "shell", "viewer",
                 "browser", "init-module")),
    "yq": ("is", ("inplace", "in-place", "split-exp", "from-file")),
    "shuf": ("o", ("output", "random-source")),
    "iconv": ("o", ("output",)),
    **dict.fromkeys(("wc", "du"), ("", ("files0-from",))),
    "file": ("fC", ("files-from", "compile")),
    **dict.fromkeys(("xz", "unxz", "xzcat", "lzma", "unlzma"), ("", ("files", "files0"))),
    "cpio": ("oipF", ("create", "extract", "pass-through", "file", "rsh-command")),
    "pax": ("rw", ()),
    "ctags": ("L", ("options",)),
}  # fmt: skip
"""Letters, and long names, which may be abbreviated."""
_SINGLE_DASH = {
    "go": ("-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-pkgdir"),
    "cmake": ("-E",),
    "openssl": ("-engine", "-provider", "-config"),
    **dict.fromkeys(
        ("gcc", "g++", "cc", "c++", "clang", "clang++"),
        ("-wrapper", "-B", "-specs", "-fplugin", "-fuse-ld", "--config", "-load", "-plugin"),
    ),
}
_READING_LISTS = names(
    "gcc g++ cc c++ clang clang++ ld lld gold ar as javac java javadoc jar 7z 7za 7zr 7zz rustc mypy link cl lib pytest"
    " strings nm objdump readelf size strip objcopy ranlib addr2line cpp gfortran ruff protoc kotlinc csc swiftc"
)
"""Programs that read further arguments from a file behind `@`."""
_NEVER_A_VALUE = names("npm cargo")
"""Programs that never take `--` for the value of an option, so `--` always ends the options."""
_PATTERN_FIRST = names("ag ack jq yq")
_NO_FILES = names("expr tr")
"""Programs without files among the arguments."""


def may_run_by_option(program: str) -> bool:
    """Return whether the program has options that act, so a file's name may be such an option."""
    return program in _OPTIONS


def inspect_options(program: str, words: Words) -> Inspection:
    """Return the inspection of a program for which each option but these is believed."""
    if doubt := _doubt(program, words):
        return Inspection(doubt=doubt)
    if program in _NO_FILES:
        return Inspection(no_paths=frozenset(range(1, len(words))))
    if program in _PATTERN_FIRST:
        return Inspection(no_paths=_pattern(program, words))
    if program == "dd":
        return Inspection(writes=tuple(_value(word) for word in words[1:] if (word.value or "").startswith("of=")))
    return Inspection()


def _doubt(program: str, words: Words) -> str:
    values = [word.value or "" for word in words[1:]]
    for value in values:
        if any(value.startswith((option, f"-{option}")) for option in _SINGLE_DASH.get(program, ())):
            return f"{value.partition('=')[0]} may run another program or write a file"
        if program in _READING_LISTS and value.startswith("@"):
            return f"{value} holds arguments that do not stand here"
        if program == "go" and ("extld" in value or (value == "-w" and values[0] == "env")):
            return f"{value} may make it run another program"
    if program == "xxd" and sum(not value.startswith("-") for value in values) > 1:
        return "its second file is one that it writes"
    end = next((at for at, word in enumerate(words) if word.value == "--" and program in _NEVER_A_VALUE), None)
    looked_at = [word for word in words[:end] if word.value != "--global"]  # No abbreviation of npm's --globalconfig.
    if option := has_option(looked_at, *_OPTIONS.get(program, ("", ()))):
        return f"{option} may run another program, write a file, or read names of files from a file"
    return ""


def _value(word: Word) -> Word:
    value = (word.value or "").partition("=")[2]
    return Word(value, value, word.has_wildcard)


def _pattern(program: str, words: Words) -> frozenset[int]:
    """Return the index of the first operand if certain: only options without values stand before the operand."""
    flags = re.compile(r"-[rcnsSMCaej]+" if program == "jq" else r"-[rnPMC]+" if program == "yq" else r"(?!)")
    for at, word in enumerate(words[1:], 1):
        if word.value is None:
            return frozenset()
        if not flags.fullmatch(word.value):
            return frozenset() if word.value.startswith("-") else frozenset({at})
    return frozenset()
