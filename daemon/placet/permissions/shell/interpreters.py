"""Programs that take code in an argument, or run what an option names: they are always asked about."""

import re

from placet.permissions.shell.inspection import Inspection, Words, has_option, names

# Letters of options that bring code, and of options whose value follows in the same word (so that its letters are not
# options); then long names.
_INTERPRETERS: tuple[tuple[re.Pattern[str], str, str, tuple[str, ...]], ...] = (
    (re.compile(r"(python|pypy)[\d.]*w?"), "ci", "WXm", ()),
    (re.compile(r"(node|nodejs|bun|deno|tsx|ts-node)\d*"), "epri", "",
     ("eval", "print", "require", "import", "loader")),
    (re.compile(r"perl[\d.]*"), "eEMmdx", "I", ()),
    (re.compile(r"ruby[\d.]*|jruby|irb"), "er", "IEKCT", ()),
    (re.compile(r"php[\d.]*"), "rBRFE", "dfc", ("run", "process-code", "process-begin", "process-end")),
    (re.compile(r"lua[\d.]*|luajit|julia|Rscript|R|osascript|elixir|groovy|scala|ghci?|racket|guile|tclsh|swift"),
     "eli", "", ("eval", "expression", "load")),
)  # fmt: skip
_ALWAYS = names(
    "ssh mosh rsh telnet su runuser chroot unshare nsenter systemd-run at batch crontab parallel script expect tmux"
    " screen gdb lldb socat nc ncat netcat ex vi vim nvim view emacs emacsclient nano ed less more entr watchexec"
    " strace ltrace proot fakeroot bwrap firejail dbus-send pkexec machinectl ncat dialog whiptail irb ghci"
)
_RUNNING_OPTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tar": ("IF", ("to-command", "checkpoint-action", "use-compress-program", "rsh-command", "info-script",
                   "new-volume-script")),
    "bsdtar": ("", ("use-compress-program",)),
    "rsync": ("e", ("rsh", "rsync-path")),
    "sort": ("", ("compress-program",)),
    "split": ("", ("filter",)),
    "zip": ("T", ("unzip-command",)),
    "curl": ("K", ("config",)),
    "wget": ("e", ("execute", "use-askpass", "config")),
    "man": ("PH", ("pager", "html", "preprocessor")),
    "rg": ("", ("pre", "hostname-bin")),
    "fd": ("xX", ("exec", "exec-batch")),
    "fdfind": ("xX", ("exec", "exec-batch")),
    "ag": ("", ("pager",)),
    "bat": ("", ("pager",)),
    "make": ("", ("eval",)),
    "gmake": ("", ("eval",)),
    "cargo": ("", ("config",)),
    "scp": ("SoF", ()),
    "sftp": ("SobF", ()),
    "sqlite3": ("", ("cmd", "init")),
    "npm": ("", ("script-shell", "node-options")),
}  # fmt: skip
_SINGLE_DASH = {"go": ("-exec", "-toolexec", "-vettool", "-overlay"), "gcc": ("-wrapper",), "find": ()}
_SAFE_SED = re.compile(
    r"(\d+|\$)?(,(\d+|\$))?\s*[dpq=]"
    r"|/[^/\n;]*/\s*[dp]"
    r"|(\d+|\$|/[^/\n]*/)?(,(\d+|\$))?\s*s(?P<mark>[/|#,:@])((?!(?P=mark))[^\n\\]|\\[^\n])*(?P=mark)"
    r"((?!(?P=mark))[^\n\\]|\\[^\n])*(?P=mark)[gpiI\d]*"
)
_UNSAFE_AWK = re.compile(r"system|[|>@]|getline|print\s*>|close")
_PATTERN_FIRST = names("grep egrep fgrep rg ag ack sed gsed jq yq awk gawk mawk nawk expr tr")


def may_run_by_option(program: str) -> bool:
    """Whether it has options that run something, so that a file's name may be one."""
    return program in _RUNNING_OPTIONS or any(pattern.fullmatch(program) for pattern, *_ in _INTERPRETERS)


def inspect_interpreter(program: str, words: Words) -> Inspection | None:
    """None where it is none of these."""
    if program in _ALWAYS:
        return Inspection(doubt="it runs what cannot be seen from here")
    for pattern, letters, glued, long_names in _INTERPRETERS:
        if pattern.fullmatch(program):
            return _interpreter(program, words, letters, glued, long_names)
    if option := _running_option(program, words):
        return Inspection(doubt=f"{option} may run another program")
    if program in _PATTERN_FIRST:
        return _pattern_first(program, words)
    return None


def _interpreter(program: str, words: Words, letters: str, glued: str, long_names: tuple[str, ...]) -> Inspection:
    for word in words[1:]:
        value = word.value
        if value is None:
            return Inspection(doubt="the code it runs is known only when it runs")
        if value == "-":
            break
        if not value.startswith("-"):
            is_code = program in ("deno", "bun") and value in ("eval", "repl", "x", "exec")
            return Inspection(doubt="it runs code from its arguments" if is_code else "")
        if value.startswith("--"):
            name = value[2:].partition("=")[0]
            if any(long.startswith(name) for long in long_names if name):
                return Inspection(doubt=f"it runs code that {value.partition('=')[0]} gives it")
            if value in ("--version", "--help"):
                return Inspection()
            continue
        for letter in value[1:]:
            if letter in letters:
                return Inspection(doubt=f"it runs code that {value} gives it")
            if letter in glued:
                if letter == "m" and len(words) > 2:
                    return Inspection()  # A module: a program like any other.
                break
        if value in ("-V", "-v", "-h"):
            return Inspection()
    return Inspection(doubt="it runs what it reads from its input")


def _running_option(program: str, words: Words) -> str:
    if program in _SINGLE_DASH:
        for word in words[1:]:
            name = "-" + (word.value or "").lstrip("-").partition("=")[0]
            if (word.value or "").startswith("-") and name in _SINGLE_DASH[program]:
                return word.value or ""
    if program == "tar" and len(words) > 1 and set("IF") & set(words[1].value or "") and "/" not in words[1].source:
        return words[1].source
    if program == "sqlite3" and any((word.value or "").lstrip().startswith(".") for word in words[1:]):
        return "a dot command"
    if program in ("psql", "mysql") and any("\\" in (word.value or "") for word in words[1:]):
        return "a backslash command"
    letters, long_names = _RUNNING_OPTIONS.get(program, ("", ()))
    return has_option(words, letters, long_names)


def _pattern_first(program: str, words: Words) -> Inspection:
    """The first operand of these is a pattern or a script and no path."""
    scripts: set[int] = set()
    doubt = ""
    named = False
    index = 1
    while index < len(words):
        value = words[index].value or ""
        if value in ("-e", "--regexp", "--expression"):
            scripts.add(index + 1)
            named = True
            index += 1
        elif value.startswith(("--regexp=", "--expression=")):
            scripts.add(index)
            named = True
        elif value in ("-f", "--file") or value.startswith("--file="):
            named = True
            doubt = "its script stands in a file" if program in ("sed", "gsed") else ""
        index += 1
    if not named:
        first = next((at for at, word in enumerate(words[1:], 1) if not (word.value or "").startswith("-")), None)
        scripts |= {first} if first is not None else set()
    if program in ("sed", "gsed", "awk", "gawk", "mawk", "nawk"):
        doubt = doubt or _script_doubt(program, [words[at].value for at in scripts if at < len(words)], words)
    return Inspection(no_paths=frozenset(scripts), doubt=doubt)


def _script_doubt(program: str, scripts: list[str | None], words: Words) -> str:
    for script in scripts:
        if script is None:
            return "its script is known only when it runs"
        text = script.partition("=")[2] if script.startswith("--expression=") else script
        if "sed" in program:
            if not all(_SAFE_SED.fullmatch(part.strip()) for part in text.split("\n") if part.strip()):
                return "its script may run or write something"
        elif _UNSAFE_AWK.search(text):
            return "its script may run or write something"
    if "sed" in program and any(re.match(r"-[a-zA-Z]*[ef].", word.value or "") for word in words[1:]):
        return "its script may run or write something"
    return ""
