"""git: commands and options that start another program, or write in a place not shown by the line, are doubted."""

import re

from placet.permissions.shell.inspection import Inspection, Words, names
from placet.permissions.shell.programs.git_options import BELIEVED, READING
from placet.permissions.shell.programs.git_reading import git_reading
from placet.permissions.shell.programs.option_tables import GivenOptions, read_options
from placet.permissions.shell.programs.vouched import may_become_doubt

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
_MAY_NAME = "a setting of git may name a program to run"
_STARTS = frozenset(
    {("bisect", "run"), ("bisect", "visualize"), ("bisect", "view"), ("submodule", "foreach"), ("submodule", "update")}
)
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
    name, rest = words[index].value, words[index:]
    if name is None:
        return Inspection(doubt="which git command it is shows only when it runs")
    if (table := BELIEVED.get(name)) is None:
        return Inspection(doubt=f"`git {name}` may be an alias, or runs another program")
    given = read_options(rest, table)
    texts = () if given.unknown else (option.at for option in given.with_role("~"))
    free = frozenset(index + at for at in texts if rest[at].is_single_word)
    return Inspection(
        doubt=_doubt(name, rest, given),
        wildcard_doubt="" if name in _TAKING_FILES else may_become_doubt(rest, given, table),
        no_paths=free,
        free=free,
    )


def _doubt(name: str, words: Words, given: GivenOptions) -> str:
    following = next((words[at].value for at in given.operands), None)
    if (name, following) in _STARTS:
        return f"`git {name} {following}` runs other programs"
    if any(_TRANSPORT.match(word.value or "") for word in words[1:]):
        return "a transport of that kind runs another program"
    if name == "config":
        return _config_doubt(words)
    return f"its option {given.unknown} is not known here" if given.unknown else ""


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
