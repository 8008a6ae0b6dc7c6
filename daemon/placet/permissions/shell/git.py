"""git: which of its commands and options start another program, or write where the line does not show it.

Read from git's own manual pages (git 2.39 to 2.48), option by option. Long options may be abbreviated.
"""

import re

from placet.permissions.shell.inspection import Inspection, Words, has_option, may_become_option, names

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
_KNOWN = names(
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap"
    " check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree"
    " config count-objects describe diff diff-files diff-index diff-tree fast-export fetch fmt-merge-msg for-each-ref"
    " format-patch fsck gc grep hash-object index-pack init interpret-trailers log ls-files ls-remote ls-tree mailinfo"
    " merge merge-base merge-file merge-tree mktag mktree mv name-rev notes pack-objects pack-refs patch-id prune pull"
    " push range-diff read-tree rebase reflog remote repack rerere reset restore rev-list rev-parse revert rm shortlog"
    " show show-branch show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag"
    " unpack-file update-index update-ref verify-commit verify-pack verify-tag version whatchanged worktree write-tree"
    " var help"
)
_RUNNING = ("upload-pack", "receive-pack", "exec", "extcmd", "open-files-in-pager", "output", "output-directory",
            "ext-diff", "template", "separate-git-dir", "config", "strategy", "gpg-sign", "textconv", "filters",
            "unsafe-paths", "directory", "sendmail-cmd", "pathspec-from-file", "to", "editor")  # fmt: skip
_TEXT_OPTIONS = {
    **dict.fromkeys(("commit", "tag", "notes", "merge", "stash"), names("-m --message --author --date")),
    **dict.fromkeys(("log", "shortlog"), names("--author --grep --since --until")),
}
"""Options whose value, in the next word, is text; elsewhere the same letter may take none."""
_RUNNING_SHORT = {"grep": "O", "rebase": "xis", "clone": "uc", "ls-remote": "u", "archive": "o", "format-patch": "o",
                  "difftool": "x", "merge": "s", "pull": "s", "cherry-pick": "", "revert": ""}  # fmt: skip
_READING_CONFIG = names("--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l get list")
_STARTS = frozenset({("bisect", "run"), ("bisect", "visualize"), ("bisect", "view"), ("submodule", "foreach"),
                     ("stash", "-p"), ("submodule", "update")})  # fmt: skip
_TAKING_FILES = names("add stage rm mv restore ls-files check-ignore check-attr status")
_TRANSPORT = re.compile(r"^\w+::")


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
    taking_text = _TEXT_OPTIONS.get(name or "", frozenset[str]())
    free = frozenset(
        at + 1 for at in range(index, len(words) - 1) if words[at].value in taking_text and words[at + 1].is_one
    ) | frozenset(at for at, word in enumerate(words) if _is_text(word.source) and word.is_one)
    return Inspection(doubt=_doubt(name, rest), no_paths=free, free=free)


def _is_text(source: str) -> bool:
    return source.startswith(("--message=", "--author=", "--grep=", "--format=", "--pretty=", "--since=", "--until="))


def _doubt(name: str | None, words: Words) -> str:
    if name is None:
        return "which git command it is shows only when it runs"
    if name not in _KNOWN:
        return f"`git {name}` may be an alias, or runs another program"
    following = next((word.value for word in words[1:] if not (word.value or "$").startswith("-")), None)
    if (name, following) in _STARTS:
        return f"`git {name} {following}` runs other programs"
    if any(_TRANSPORT.match(word.value or "") for word in words[1:]):
        return "a transport of that kind runs another program"
    if name == "config":
        return _config_doubt(words)
    option = has_option(words, _RUNNING_SHORT.get(name, ""), tuple(_RUNNING))
    if option and not (option.startswith("--to=") and name != "send-email"):
        return f"{option.partition('=')[0]} may make git run a program or write a file elsewhere"
    if name not in _TAKING_FILES and may_become_option(words):
        return "a wildcard may become an option that runs something"
    if name in ("var", "help") and len(words) > 1:
        return f"`git {name}` may start another program"
    return ""


def _config_doubt(words: Words) -> str:
    operands = [word.value for word in words[1:] if word.value is None or not word.value.startswith("-")]
    options = [word.value for word in words[1:] if word.value is not None and word.value.startswith("-")]
    if any(value in _READING_CONFIG for value in (*options, *operands[:1])):
        return ""
    if len(operands) == 1 and set(options) <= {"--global", "--local", "--system", "--worktree", "--null", "-z"}:
        return ""
    setting = "=".join(operand or "$" for operand in operands[:2])
    if len(operands) == 2 and set(options) <= {"--local"} and _HARMLESS_SETTING.fullmatch(setting):
        return ""
    return "a setting of git may name a program to run"
