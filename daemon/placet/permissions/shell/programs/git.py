"""git: commands and options that start another program, or write in a place not shown by the line.

Read from git's own manual pages (git 2.39 to 2.48), option by option. Long options may be abbreviated.
"""

import re
from collections.abc import Iterator

from placet.permissions.shell.inspection import (
    MAY_BECOME_OPTION,
    Inspection,
    Words,
    has_option,
    may_become_option,
    names,
)
from placet.permissions.shell.programs.git_options import COMMANDS, HARMLESS, READING, RUNNING, RUNNING_LETTERS
from placet.permissions.shell.programs.git_reading import git_reading
from placet.permissions.shell.programs.option_tables import read_options
from placet.permissions.shell.words import Word

_PLAIN_GLOBAL = names(
    "-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --no-optional-locks"
    " --noglob-pathspecs --icase-pathspecs --version -v --help -h --html-path --man-path --info-path --exec-path"
    " --no-advice --no-lazy-fetch"
)
_HARMLESS_SETTING = re.compile(
    r"(color\.[\w.]+|advice\.\w+|user\.(name|email)|core\.(quotepath|autocrlf|eol|abbrev|filemode|ignorecase)"
    r"|core\.pager=(cat)?|pager\.\w+=(cat|false)?|init\.defaultbranch|log\.\w+|diff\.(algorithm|renames|context|noprefix)"
    r"|merge\.(ff|conflictstyle)|pull\.(rebase|ff)|push\.(default|autosetupremote)|rebase\.autostash|fetch\.prune"
    r"|commit\.gpgsign=false|tag\.gpgsign=false|column\.\w+|grep\.\w+|status\.\w+|branch\.sort|tag\.sort)(=.*)?",
    re.IGNORECASE,
)
_ABBREVIATING = names("cat-file read-tree")
"""Commands to which `--text`, `--filter` and `--index` are abbreviations, and no options of their own."""
_WRITING = names("mailinfo pack-objects index-pack unpack-file merge-file checkout-index")
_FLAGS = names("""
    --cached --staged --stat --name-only --name-status --oneline --ours --theirs --force --quiet --ignore-unmatch
    --exit-code --amend --all --no-verify --allow-empty --signoff --no-edit --no-ff --keep-index --include-untracked
    --annotate --patch --graph --decorate --no-merges --follow -q -a
""")
"""Options that never take the following word for a value."""
_TEXT_OPTIONS = {
    **dict.fromkeys(("commit", "tag", "notes", "merge", "stash"), names("-m --message --author --date")),
    **dict.fromkeys(("log", "shortlog"), names("--author --grep --since --until")),
}
"""Options whose value, in the next word, is text; with other commands the same letter may take no value."""
_MAY_NAME = "a setting of git may name a program to run"
_STARTS = frozenset({("bisect", "run"), ("bisect", "visualize"), ("bisect", "view"), ("submodule", "foreach"),
                     ("stash", "-p"), ("submodule", "update")})  # fmt: skip
_TAKING_FILES = names("add stage rm mv restore ls-files check-ignore check-attr status")
_TRANSPORT = re.compile(r"^(--(remote|repo|reference)=)?\w+::")


def inspect_git(words: Words) -> Inspection:
    index = 1
    while index < len(words) and (words[index].value or "$").startswith("-"):
        value = words[index].value or ""
        if value == "-c":
            setting = words[index + 1].value if index + 1 < len(words) else None
            if setting is None or not _HARMLESS_SETTING.fullmatch(setting):
                return Inspection(doubt="-c may make git run another program")
            index += 2
        elif value == "-C":
            index += 2
        elif value in _PLAIN_GLOBAL:
            index += 1
        else:
            return Inspection(doubt=f"{value.partition('=')[0]} may make git run another program")
    if index >= len(words):
        return Inspection()
    name = words[index].value
    rest = words[index:]
    free = frozenset(_text_values(name or "", words, index)) | frozenset(
        at for at, word in enumerate(words) if _is_text(word.source) and word.is_single_word
    )
    may_become = name not in _TAKING_FILES and may_become_option(rest, _end_of_options(rest))
    return Inspection(
        doubt=_doubt(name, rest),
        wildcard_doubt=MAY_BECOME_OPTION if may_become else "",
        no_paths=free,
        free=free,
        writes=_bundle(rest),
    )


def _text_values(name: str, words: Words, start: int) -> Iterator[int]:
    """Yield the indexes of words that are text, as the option before each is certain to be an option."""
    taking_text = _TEXT_OPTIONS.get(name, frozenset[str]())
    for at in range(start + 1, len(words) - 1):
        before = words[at - 1].value or "$"
        is_option = not before.startswith("-") or before in _FLAGS
        if words[at].value in taking_text and words[at + 1].is_single_word and is_option:
            yield at + 1


def _bundle(words: Words) -> tuple[Word, ...]:
    """Return the file written by `git bundle create`."""
    if [word.value for word in words[:2]] != ["bundle", "create"]:
        return ()
    return tuple(word for word in words[2:] if not (word.value or "").startswith("-"))[:1]


def _is_text(source: str) -> bool:
    return source.startswith(("--message=", "--author=", "--grep=", "--format=", "--pretty=", "--since=", "--until="))


def _doubt(name: str | None, words: Words) -> str:
    if name is None:
        return "which git command it is shows only when it runs"
    if name not in COMMANDS:
        return f"`git {name}` may be an alias, or runs another program"
    following = next((word.value for word in words[1:] if not (word.value or "$").startswith("-")), None)
    if (name, following) in _STARTS:
        return f"`git {name} {following}` runs other programs"
    if any(_TRANSPORT.match(word.value or "") for word in words[1:]):
        return "a transport of that kind runs another program"
    if name == "config":
        return _config_doubt(words)
    if name in _WRITING:
        return f"`git {name}` writes files that its arguments name"
    if doubt := _option_doubt(name, words):
        return doubt
    if name in ("var", "help") and len(words) > 1:
        return f"`git {name}` may start another program"
    return ""


def _option_doubt(name: str, words: Words) -> str:
    """Return why an option of the command is doubted. No `--` ends the search: a `--` may be the value of the option
    before."""
    if option := has_option(words, RUNNING_LETTERS.get(name, ""), ()):
        return f"{option} may make git run a program or write a file elsewhere"
    for word in words[1:]:
        value = (word.value or "").partition("=")[0]
        long = value.removeprefix("--")
        if not value.startswith("--") or not long:
            continue
        is_own = long in HARMLESS and name not in _ABBREVIATING
        if not is_own and any(running.startswith(long) for running in RUNNING):
            return f"{value} may make git run a program or write a file elsewhere"
        option_name = long.removeprefix("no-")
        if (option_name == long or option_name not in RUNNING) and not any(
            harmless_option.startswith((long, option_name)) for harmless_option in HARMLESS
        ):
            return f"its option {value} is not known here"
    return ""


def _end_of_options(words: Words) -> int | None:
    """Return the index of a `--` that is certain to end the options: the word before takes no value."""
    for at, word in enumerate(words[1:], 1):
        before = words[at - 1].value or "$"
        if word.value == "--" and (at == 1 or not before.startswith("-") or _takes_no_word(before)):
            return at
    return None


def _takes_no_word(option: str) -> bool:
    return option in _FLAGS or re.fullmatch(r"-\d+|--[\w-]+=.*", option, re.DOTALL) is not None


def _config_doubt(words: Words) -> str:
    """Return why `git config` may name a program to run; a single name is shown."""
    if git_reading([word.value or "$" for word in words]) is not None:
        return ""
    given = read_options(words, READING["config"])
    operands = [words[at].value or "$" for at in given.operands]
    named = {option.name for option in given.options}
    if given.unknown:
        return _MAY_NAME
    if len(operands) == 1 and named <= {"--global", "--local", "--system", "--worktree", "--null", "-z"}:
        return ""
    is_plain = len(operands) == 2 and named <= {"--local"}
    return "" if is_plain and _HARMLESS_SETTING.fullmatch("=".join(operands)) else _MAY_NAME
