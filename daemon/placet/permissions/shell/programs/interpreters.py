"""Interpreters: a rule vouches for a script of the project, and for no code in an argument or from an input.

An option that stands in no list is a doubt.
"""

import re
from collections.abc import Sequence

from placet.permissions.shell.inspection import Inspection, Words, is_input, names
from placet.permissions.shell.programs.option_tables import GivenOptions, option_tables, read_options

_READS_ITS_CODE = "it runs what it reads from its input"
_ALWAYS = names(
    "ssh mosh rsh telnet su runuser chroot unshare nsenter systemd-run at batch crontab parallel script expect tmux"
    " screen gdb lldb socat nc ncat netcat ex vi vim nvim view emacs emacsclient nano ed less more entr watchexec"
    " watch strace ltrace proot fakeroot bwrap firejail dbus-send pkexec machinectl ncat dialog whiptail irb ghci"
    " csh tcsh nu pwsh powershell elvish xonsh cmd dc m4 ftp lftp mail mutt jshell iex erl ipython ptpython bpython"
)
_DATABASES = names("sqlite3 psql mysql mariadb")
"""Clients of databases: a statement can run a program, or read and write any file."""
_TABLES = option_tables(
    """
    python pypy: -[bBdEhIOPqsSuvV] -m=. --version --help
    node nodejs: -[chv] --check --enable-source-maps --expose-gc --experimental-strip-types --experimental-vm-modules
      --help --max-old-space-size? --max_old_space_size? --no-deprecation --no-warnings --test --test-concurrency=
      --test-name-pattern= --test-only --test-timeout= --trace-deprecation --trace-warnings --version --watch
    perl: -[cvwW] -I= --version --help
    ruby jruby: -[chvwW] -I= --version --help
    php: -[hilmnqv] -d= -S= -t= --version --help --ini
    lua luajit: -v
    tsx ts-node julia Rscript R osascript elixir groovy scala ghc runghc runhaskell racket guile: --version --help
    tclsh wish swift octave gnuplot ocaml raku clojure bb sbcl kotlin kotlinc coffee: --version --help
    """,
    ends_at_operand=True,
)
_WITHOUT_SCRIPT = names("-h -i -S -v -V --version --help --ini --test")
"""Options with which an interpreter needs no script."""
_MODULES_THAT_RUN_CODE = names(
    "timeit pdb cProfile profile trace code codeop runpy asyncio idlelib IPython ptpython bpython xonsh doctest"
    " debugpy viztracer kernprof line_profiler memory_profiler pyinstrument coverage scalene bdb"
)
_CODE_OPTION = re.compile(r"-[a-z]*[ceEpr]|--(eval|print|require|import)")
_VERSION = re.compile(r"[\d.]+[wt]?$")
_BUN_CODE = names("eval repl x exec -")
_BUN_OPTION = re.compile(r"-[epr]|--(eval|print|require|import|preload|config)\b")


def inspect_interpreter(program: str, words: Words) -> Inspection | None:
    """Return the inspection of an interpreter, or None if this module does not know the program."""
    if program in _ALWAYS:
        return Inspection(doubt="it runs what cannot be seen from here")
    if program in _DATABASES:
        return Inspection(
            doubt="" if _shows_version(words) else "its statements may run a program or reach other files"
        )
    if program in ("bun", "deno"):
        return Inspection(doubt="" if _shows_version(words) else _bun_doubt(words))
    table = _TABLES.get(program) or _TABLES.get(_VERSION.sub("", program))
    return None if table is None else Inspection(doubt=_script_doubt(program, words, read_options(words, table)))


def _shows_version(words: Words) -> bool:
    return len(words) == 2 and words[1].value in ("--version", "--help", "-v", "-V", "-h")


def _script_doubt(program: str, words: Words, given: GivenOptions) -> str:
    if _CODE_OPTION.fullmatch(given.unknown):
        return f"it runs code that {given.unknown} gives it"
    if given.unknown:
        return f"its option {given.unknown} is not known here, and may give it code"
    if given.named("-m") is not None:
        return _module_doubt([option.value.value for option in given.with_role(".") if option.value is not None])
    for option in given.options:
        if option.name == "-d" and not ((option.value and option.value.value) or "").startswith("memory_limit="):
            return "-d may run something"
    if not given.operands:
        return "" if given.named(*_WITHOUT_SCRIPT) is not None else _READS_ITS_CODE
    script = words[given.operands[0]]
    value = script.value or ""
    if script.value is None or script.has_wildcard:
        return "the code it runs is known only when it runs"
    if is_input(script) or value in ("inspect", "debug") or "://" in value or value.startswith("data:"):
        return _READS_ITS_CODE
    rest = (words[at].value or "" for at in given.operands)
    if program.startswith(("perl", "ruby")) and any(map(_may_be_pipe, rest)):
        return "it may run what a file's name says"
    return ""


def _module_doubt(modules: Sequence[str | None]) -> str:
    name = modules[0] if modules else None
    is_doubted = name is None or name.partition(".")[0] in _MODULES_THAT_RUN_CODE
    return f"the module {name} runs code from its arguments" if is_doubted else ""


def _may_be_pipe(value: str) -> bool:
    """Return whether Perl or Ruby may run a name: Perl obeys `touch x|` and `>x` (perlfunc, open with two arguments),
    Ruby `|touch x`."""
    return value.strip().startswith(("|", ">", "+>", "+<")) or value.strip().endswith("|")


def _bun_doubt(words: Words) -> str:
    """Return why a call of bun or deno is doubted: code in an argument or from the input, beside a subcommand and a
    script."""
    first = words[1].value if len(words) > 1 else None
    if first is None or first.startswith("-") or first in _BUN_CODE:
        return "it runs code from its arguments or its input"
    for word in words[1:]:
        value = word.value or ""
        if is_input(word) or "://" in value or value.startswith("data:"):
            return _READS_ITS_CODE
        if _BUN_OPTION.match(value):
            return f"it may run code that {value.partition('=')[0]} gives it"
    return ""
