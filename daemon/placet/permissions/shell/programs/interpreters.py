"""Programs that run code: interpreters by option tables, and programs with a question on every call.

An interpreter with a script of the project is a program like any other. Code in an argument, code from standard input
or a descriptor, and an unknown option are a doubt.
"""

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from placet.permissions.shell.inspection import Inspection, Words, has_option, is_input, names
from placet.permissions.shell.programs.option_tables import (
    GivenOption,
    GivenOptions,
    OptionTable,
    option_table,
    read_options,
)
from placet.permissions.shell.words import Word

_READS_ITS_CODE = "it runs what it reads from its input"
_ALWAYS = names(
    "ssh mosh rsh telnet su runuser chroot unshare nsenter systemd-run at batch crontab parallel script expect tmux"
    " screen gdb lldb socat nc ncat netcat ex vi vim nvim view emacs emacsclient nano ed less more entr watchexec"
    " strace ltrace proot fakeroot bwrap firejail dbus-send pkexec machinectl ncat dialog whiptail irb ghci"
    " csh tcsh nu pwsh powershell elvish xonsh cmd dc m4 ftp lftp mail mutt jshell iex erl ipython ptpython bpython"
)
_MODULES_THAT_RUN_CODE = names(
    "timeit pdb cProfile profile trace code codeop runpy asyncio idlelib IPython ptpython bpython xonsh doctest"
    " debugpy viztracer kernprof line_profiler memory_profiler pyinstrument coverage scalene bdb"
)
_PYTHON_X = re.compile(
    r"dev|utf8(=[01])?|importtime|faulthandler|no_debug_ranges|frozen_modules(=on|=off)?|tracemalloc(=\d+)?"
    r"|int_max_str_digits=\d+|showrefcount|warn_default_encoding|perf|gil=[01]"
)
_PYTHON_W = re.compile(r"(default|error|always|module|once|ignore|all)(:[^:]*(:[A-Za-z]*(:[^:]*(:\d*)?)?)?)?")
_PHP_D = re.compile(
    r"(memory_limit|error_reporting|display_errors|max_execution_time|date\.timezone|zend\.assertions"
    r"|xdebug\.mode|xdebug\.max_nesting_level|opcache\.enable(_cli)?|pcov\.enabled|log_errors)=[^;]*"
)


@dataclass(frozen=True, slots=True)
class Interpreter:
    table: OptionTable
    special: Callable[[GivenOption], str] = lambda given: ""
    """Function that returns why an option with this value is doubted; for options with harmless and harmful values."""
    scriptless: tuple[str, ...] = ()
    """Options with which the interpreter runs no script."""


def _table(text: str) -> OptionTable:
    return option_table(text, ends_at_operand=True)


def _of_python(given: GivenOption) -> str:
    value = given.value.value if given.value else None
    match given.name:
        case "-m" if value is None or value.partition(".")[0] in _MODULES_THAT_RUN_CODE:
            return f"the module {value} runs code from its arguments"
        case "-X" if value is None or not _PYTHON_X.fullmatch(value):
            return f"-X {value} may run something"
        case "-W" if value is None or not _PYTHON_W.fullmatch(value):
            return f"-W {value} may import something"
        case _:
            return ""


def _of_php(given: GivenOption) -> str:
    value = given.value.value if given.value else None
    if given.name == "-d" and (value is None or not _PHP_D.fullmatch(value)):
        return f"-d {value} may run something"
    return ""


_PYTHON = Interpreter(
    _table("""
        -[bBdEhIOPqsSuvVx] -c=! -i! -m=. -W= -X= --check-hash-based-pycs= --version --help --help-env --help-xoptions
        --help-all
    """),
    _of_python,
    ("-m", "-V", "-h", "--version", "--help", "--help-env", "--help-xoptions", "--help-all"),
)
_PERL = Interpreter(
    _table("-[acflStTuUvwWX0123456789] -[npsFeEMmdxiD]! -I= -V! -h --version --help"), scriptless=("-v",)
)
_RUBY = Interpreter(
    _table("""
        -[acdhlnpsSUvwW0123456789] -[erFxi]! -E= -I= --version --help --copyright --verbose --jit --yjit --disable=
        --enable= --encoding= --external-encoding= --internal-encoding=
    """),
    scriptless=("-v", "-h", "--version", "--help", "--copyright"),
)
_NODE = Interpreter(
    _table("""
        -c -h -v -C= --check --conditions= --disable-proto= --disable-warning= --dns-result-order=
        --enable-source-maps --experimental-detect-module --experimental-import-meta-resolve
        --experimental-json-modules --experimental-require-module --experimental-sqlite --experimental-strip-types
        --experimental-test-coverage --experimental-test-module-mocks --experimental-vm-modules
        --experimental-wasm-modules --experimental-websocket --expose-gc --frozen-intrinsics --help
        --max-http-header-size= --max-old-space-size? --max_old_space_size? --max-semi-space-size? --no-addons
        --no-deprecation
        --no-experimental-fetch --no-experimental-require-module --no-experimental-strip-types --no-warnings
        --no-extra-info-on-fatal-exception --no-global-search-paths --openssl-legacy-provider --pending-deprecation
        --preserve-symlinks --preserve-symlinks-main --stack-size? --stack-trace-limit? --test --test-concurrency=
        --test-force-exit --test-name-pattern= --test-only --test-shard= --test-skip-pattern= --test-timeout=
        --throw-deprecation --title= --trace-deprecation --trace-exit --trace-uncaught --trace-warnings
        --unhandled-rejections= --version --watch -[eprib]! --eval=! --print=! --require=! --import=! --loader=!
        --experimental-loader=! --interactive! --env-file=! --inspect! --test-reporter=!
    """),
    scriptless=("-v", "-h", "--version", "--help", "--test"),
)
_PHP = Interpreter(
    _table("-[hilmnqsvw] -[arRBEFz]! -c=! -d= -f= -S= -t= --version --help --ini --modules --info"),
    _of_php,
    ("-v", "-h", "-i", "-m", "-S", "--version", "--help", "--ini", "--modules", "--info", "-f"),
)
_LUA = Interpreter(_table("-[vEW] -[eli]!"), scriptless=("-v",))
_SCRIPT_FIRST = Interpreter(_table("--version --help"), scriptless=("--version", "--help"))
_INTERPRETERS: tuple[tuple[re.Pattern[str], Interpreter], ...] = (
    (re.compile(r"(python|pypy)[\d.]*[wt]?"), _PYTHON),
    (re.compile(r"(node|nodejs)\d*"), _NODE),
    (re.compile(r"perl[\d.]*"), _PERL),
    (re.compile(r"ruby[\d.]*|jruby"), _RUBY),
    (re.compile(r"php[\d.]*"), _PHP),
    (re.compile(r"lua[\d.]*|luajit"), _LUA),
    (
        re.compile(r"tsx|ts-node|julia|Rscript|R|osascript|elixir|groovy|scala|ghc|runghc|runhaskell|racket|guile|tclsh"
                   r"|wish|swift|octave|gnuplot|ocaml|raku|clojure|bb|sbcl|kotlinc?|coffee"),
        _SCRIPT_FIRST,
    ),
)  # fmt: skip
_BUN_CODE = names("eval repl x exec -")
_RUNNING_OPTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bsdtar": ("IT", ("use-compress-program", "files-from")),
    "rsync": ("eM", ("rsh", "rsync-path", "files-from", "daemon", "config", "remote-option")),
    "zip": ("T@", ("unzip-command", "names-stdin")),
    "man": ("PH", ("pager", "html", "preprocessor")),
    "fd": ("xX", ("exec", "exec-batch")),
    "fdfind": ("xX", ("exec", "exec-batch")),
    "ag": ("", ("pager",)),
    "ack": ("", ("pager", "ackrc", "files-from")),
    "bat": ("", ("pager", "config-file")),
    "cargo": ("", ("config",)),
    "scp": ("SoFD", ()),
    "sftp": ("SobFD", ()),
    "npm": ("", ("script-shell", "node-options", "userconfig", "globalconfig", "git", "editor", "shell", "viewer",
                 "browser", "init-module")),
}  # fmt: skip
"""Options that run a program: letters, and long names."""
_OTHER_OPTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "yq": ("is", ("inplace", "in-place", "split-exp", "from-file")),
    "shuf": ("o", ("output", "random-source")),
    "iconv": ("o", ("output",)),
    "wc": ("", ("files0-from",)),
    "du": ("", ("files0-from",)),
    "file": ("fC", ("files-from", "compile")),
    **dict.fromkeys(("xz", "unxz", "xzcat", "lzma", "unlzma"), ("", ("files", "files0"))),
    "cpio": ("oipF", ("create", "extract", "pass-through", "file", "rsh-command")),
    "pax": ("rw", ()),
    "ctags": ("L", ("options",)),
}
"""Options that write a file, or read the names of files from a file."""
_HARMLESS_OPTIONS = {"npm": names("--global")}
"""Options mistaken for an abbreviation of another option."""
_NEVER_A_VALUE = names("npm cargo")
"""Programs that never take `--` for the value of an option, so `--` always ends the options."""
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
_SQL_THAT_ACTS = re.compile(
    r"\\|\b(writefile|readfile|load_extension|attach|vacuum|edit|program|system|source|tee|pager|outfile|load_file)\b",
    re.IGNORECASE,
)
_DATABASE_FILES = ("file", "output", "log-file", "pager", "tee", "init-command", "defaults-file")
_DATABASE_COMMANDS = {
    "psql": (
        re.compile(r"-c|-l$|--(command|list|version|help)"),
        re.compile(r"-[AtxXqEbenSsz0]+|--(csv|echo-all|no-align|no-psqlrc|quiet|tuples-only)"),
    ),
    "mysql": (re.compile(r"-e|--(execute|version|help)"), re.compile(r"-[BNstvE]+|--(batch|silent|raw|table)")),
}
"""Options with a statement as value, and options without a value that may stand before the statement."""
_SQLITE = option_table("""
    -ascii -bail -batch -box -column -csv -echo -header -noheader -help -html -interactive! -json -line -list -markdown
    -memtrace -nofollow -nullvalue= -quote -readonly -safe -separator= -newline= -stats -table -tabs -version
""")
_PATTERN_FIRST = names("ag ack jq yq")
_NO_FILES = names("expr tr")
"""Programs without files among the arguments."""


def may_run_by_option(program: str) -> bool:
    """Return whether the program has options that run something, so a file's name may be such an option."""
    return program in _RUNNING_OPTIONS


def inspect_interpreter(program: str, words: Words) -> Inspection | None:
    """Return the inspection of an interpreter, or None if this module does not know the program."""
    if program in _ALWAYS:
        return Inspection(doubt="it runs what cannot be seen from here")
    for pattern, interpreter in _INTERPRETERS:
        if pattern.fullmatch(program):
            return Inspection(doubt=_interpreter_doubt(program, words, interpreter))
    if program in ("bun", "deno"):
        return Inspection(doubt=_bun_doubt(words))
    if program in ("sqlite3", "psql", "mysql", "mariadb"):
        return Inspection(doubt=_database_doubt(program, words))
    if doubt := _option_doubt(program, words):
        return Inspection(doubt=doubt)
    if program in _NO_FILES:
        return Inspection(no_paths=frozenset(range(1, len(words))))
    if program in _PATTERN_FIRST:
        return Inspection(no_paths=_pattern(program, words))
    if program == "dd":
        return Inspection(writes=tuple(_value(word) for word in words[1:] if (word.value or "").startswith("of=")))
    return None


def _value(word: Word) -> Word:
    value = (word.value or "").partition("=")[2]
    return Word(value, value, word.has_wildcard)


def _interpreter_doubt(program: str, words: Words, interpreter: Interpreter) -> str:
    given = read_options(words, interpreter.table)
    if given.unknown:
        return f"its option {given.unknown} is not known here, and may give it code"
    for option in given.options:
        if option.option.role == "!":
            return f"it runs code that {option.name} gives it"
        if doubt := interpreter.special(option):
            return doubt
    return _script_doubt(program, words, given, interpreter)


def _script_doubt(program: str, words: Words, given: GivenOptions, interpreter: Interpreter) -> str:
    """Return why the script is doubted. An option such as `-v` may be the whole request; a script behind the option
    still runs."""
    is_module = any(option.option.role == "." for option in given.options)
    if given.named(*interpreter.scriptless) is not None and (is_module or not given.operands):
        return _input_doubt(given)
    if not given.operands:
        return _READS_ITS_CODE
    script = words[given.operands[0]]
    value = script.value or ""
    if script.value is None or script.has_wildcard:
        return "the code it runs is known only when it runs"
    if is_input(script) or value in ("inspect", "debug") or "://" in value or value.startswith("data:"):
        return _READS_ITS_CODE
    rest = (words[at].value or "" for at in given.operands)
    if program.startswith(("perl", "ruby")) and any(_may_be_pipe(word) for word in rest):
        return "it may run what a file's name says"
    return ""


def _input_doubt(given: GivenOptions) -> str:
    """Return a doubt if an option's value names the input: `php -f -` reads code from the input."""
    return (
        _READS_ITS_CODE if any(option.value is not None and is_input(option.value) for option in given.options) else ""
    )


def _may_be_pipe(value: str) -> bool:
    """Return whether Perl or Ruby may run a name: Perl obeys `touch x|` and `>x` (perlfunc, open with two arguments),
    Ruby `|touch x`."""
    return value.strip().startswith(("|", ">", "+>", "+<")) or value.strip().endswith("|")


def _bun_doubt(words: Words) -> str:
    """Return why a call of bun or deno is doubted: code in an argument or from the input, beside a subcommand and a
    script."""
    values = [word.value for word in words[1:]]
    if not values:
        return _READS_ITS_CODE
    first = values[0]
    if first in ("--version", "--help", "-v", "-V", "-h"):
        return ""
    if first is None or first.startswith("-") or first in _BUN_CODE or is_input(words[1]):
        return "it runs code from its arguments"
    if first not in ("run", "serve", "test", "bench"):
        return ""
    for word in words[2:]:
        value = word.value or ""
        if is_input(word) or "://" in value or value.startswith("data:"):
            return _READS_ITS_CODE
        if re.match(r"-[epr]|--(eval|print|require|import|preload|config)\b", value):
            return f"it runs code that {value.partition('=')[0]} gives it"
    return ""


def _database_doubt(program: str, words: Words) -> str:
    """Return why a client of a database is doubted: clients run programs by commands of their own, also read from the
    input."""
    if any(_SQL_THAT_ACTS.search(word.value or "") for word in words[1:]):
        return "it may run a program or reach other files"
    if program == "sqlite3":
        return _sqlite_doubt(words)
    if has_option(words, "foL" if program == "psql" else "", _DATABASE_FILES):
        return "it may run a program or reach other files"
    command, flags = _DATABASE_COMMANDS["psql" if program == "psql" else "mysql"]
    has_command = any(
        command.match(word.value or "")
        and (not (previous.value or "$").startswith("-") or flags.fullmatch(previous.value or ""))
        for previous, word in itertools.pairwise(words)
    )
    return "" if has_command else _READS_ITS_CODE


def _sqlite_doubt(words: Words) -> str:
    operands: list[str] = []
    index = 1
    while index < len(words):
        value = words[index].value or ""
        if value.startswith("-"):
            option = _SQLITE.options.get("-" + value.lstrip("-"))
            if option is None or option.role:
                return f"its option {value} is not known here, and may run something"
            index += 2 if option.takes else 1
            if value.endswith(("version", "help")):
                return ""
            continue
        operands.append(value)
        index += 1
    if len(operands) < 2:
        return _READS_ITS_CODE
    if any(operand.lstrip().startswith(".") for operand in operands[1:]):
        return "a dot command may run another program"
    return ""


def _option_doubt(program: str, words: Words) -> str:
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
    harmless = _HARMLESS_OPTIONS.get(program, frozenset())
    looked_at = [word for word in words[:end] if word.value not in harmless]
    if option := has_option(looked_at, *_RUNNING_OPTIONS.get(program, ("", ()))):
        return f"{option} may run another program"
    option = has_option(looked_at, *_OTHER_OPTIONS.get(program, ("", ())))
    return f"with {option} it may write a file, or read the names of files from one" if option else ""


def _pattern(program: str, words: Words) -> frozenset[int]:
    """Return the index of the first operand if certain: only options without values stand before the operand."""
    flags = re.compile(r"-[rcnsSMCaej]+" if program == "jq" else r"-[rnPMC]+" if program == "yq" else r"(?!)")
    for at, word in enumerate(words[1:], 1):
        if word.value is None:
            return frozenset()
        if not flags.fullmatch(word.value):
            return frozenset() if word.value.startswith("-") else frozenset({at})
    return frozenset()
