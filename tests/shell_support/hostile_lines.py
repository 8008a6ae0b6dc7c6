"""Hostile command lines made up: values, indexes, options and file names that bash may evaluate or run.

No line names a place above its directory: mutations that would are left out, so that a line can be run.
"""

import re
from random import Random

from shell_support.lines import TOKENS

FILES = ("-v", "-va[$(evil)]", "a[$(evil)]", "]", "x", "E", "=", "-n", "good", "$(evil)", "PATH=d", "[0]=1")
"""The names of files in the directory of a line: what a wildcard may become."""
PROGRAMS = ("ok", "[a/b]", "d/evil", "d/ok", "0/ok", "1/ok", "2/ok", "a\u00aa=d/evil")
"""Programs in that directory, which only a path reaches, or a PATH that was changed."""

_VALUES = (
    *(
        "'a[$(evil)]'",
        "-v",
        "'$(evil)'",
        "'([a[$(evil)]]=1)'",
        "'($(evil))'",
        "PATH",
        "evil",
        "'`evil`'",
        "'-v a[$(evil)]'",
    ),
    *("'x[$(evil)]=1'", "'evil EXIT'", "1", "'a b'", "'d'", "'1+a[$(evil)]'", "\"'$(evil)'\"", "';evil'", "'&evil'"),
)
_LIST = "'($(evil))'"
"""A value that a declaration of an array evaluates."""
_PARAMETERS = (
    "x",
    "y",
    "z",
    "x",
    "b",
    "b[0]",
    "x[1]",
    "b[x]",
    "b[@]",
    "b[*]",
    "@",
    "*",
    "#",
    "?",
    "-",
    "$",
    "!",
    "1",
    "10",
    "_",
    "0",
)
_OPERATORS = (
    *("", ":-", ":=", "-", "=", "+", ":+", ":?", "#", "##", "%", "%%", "/", "//", "/#", "/%", "^", "^^", ",", ",,"),
    *(":", ":", ": ", ":1:", "@P", "@Q", "@A", "@E", "@K", "@a", "@", "[x]", "[$x]", "[@]:", "~", "\n", ":$", "::"),
)
_OPERANDS = (
    "",
    "",
    "x",
    "x",
    "$x",
    "1",
    "-1",
    " -1",
    "1:x",
    "(x)",
    "a",
    "*",
    "?",
    "'a[$(evil)]'",
    "$(evil)",
    "`evil`",
    "}",
    "\\}",
    "x?y:z",
)
_TESTS = (
    *("-v", "-n", "-z", "-f", "-a", "-o", "=", "==", "!=", "-eq", "-nt", "\\(", "\\)", "-R", "-t", "]", "]]"),
    *("\\<", "-d", "'!'", '"-v"', "-''v", "-?", "?v", "-[v]", "$y", "*", "x", "1", '"$1"', "$?"),
    *('"$y"', '"$y"', '"$y"', '"$x"', '"$x"', "'a[$(evil)]'", "'a[$(evil)]'", "'a[$(evil)]'", "!", "!", "a", "="),
)
_BUILTINS = (
    *("printf", "read", "unset", "wait", "trap", "let", "eval", "exec", "command", "builtin", "shift", "umask", "set"),
    *("shopt -s", "hash", "mapfile", "getopts", "alias", "test", "[", "type", "enable", "local", "export", "readonly"),
    *("declare", "typeset", "source", "pwd", "times", "break", "return", "echo", ":", "true", "unsetenv", "printf -v"),
    *(
        "printf --",
        "printf %s",
        "printf '%n'",
        "printf '%5ln %d'",
        "read -r",
        "unset -v",
        "unset -n",
        "wait -n",
        "wait -p",
    ),
    *(
        "command -v",
        "builtin eval",
        "coproc",
        "time -p",
        "compgen -W",
        "exec -a",
        "trap --",
        "cd",
        "echo -e",
        "declare -a x=",
    ),
    *(
        "declare -n",
        "declare -i",
        "declare -A",
        "readonly -a",
        "export -n",
        "caller",
        "ulimit -f",
        "bind",
        "complete -C",
    ),
)
_NAMES = (
    *("ok good",) * 16,
    "ok",
    "echo",
    "echo",
    "evil",
    "time",
    '"ok" good',
    "o\\k good",
    "$x",
    "x=1 ok good",
    "x=1 time ok good",
)
_PREFIXES = ("time", "time -p", "command", "builtin", "exec", "! time", "ok good | time")
_ASSIGNED = (
    "x=",
    "y=",
    "z=",
    "x+=",
    "b=",
    "b[0]=",
    "b[x]=",
    "PATH=",
    "IFS=",
    "a[$x]=",
    "a\u00aa=",
    "CI=",
    "_=",
    "x[0]+=",
)
_MUTATIONS = (
    *TOKENS,
    "${",
    "}",
    "[",
    "]=",
    "@P",
    ":x",
    "$@",
    '"$@"',
    "-v ",
    "[a/b]",
    "d/evil",
    " \\\n",
    "$[x]",
    "time ",
    "\u00aa",
)
_CLIMBING = re.compile(r"(?<!\[a)(?<![d012])/|(?<!\{[a-z0-9])\.\.|~[^ \n;]|/[^\w\]]")


def hostile_line(random: Random) -> str:
    """Return a line of hostile values and of statements that may evaluate them, often with a mistake in it."""
    line = _prologue(random)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
        line += _statement(random, 2) + random.choice(("; ", "; ", "; ", "\n", " && ", " || ", " & ", " | ", " # c\n"))
    line += random.choice(("", "ok good", "ok good"))
    mutated = line
    for _ in range(random.choice((0, 0, 0, 0, 1, 2))):
        mutated = _mutated(mutated, random)
    return line if _CLIMBING.search(mutated) else mutated


def _prologue(random: Random) -> str:
    line = ""
    if random.random() < 0.6:
        line += f"x={random.choice((_VALUES[0], _VALUES[0], random.choice(_VALUES)))}; "
    if random.random() < 0.5:
        line += f"y={random.choice(('-v', '-v', _LIST, random.choice(_VALUES)))}; "
    if random.random() < 0.2:
        first = random.choice(("-v", "1", random.choice(_VALUES)))
        line += f"{random.choice('bxa')}=({first} {random.choice(_VALUES)}); "
    return line


def _mutated(line: str, random: Random) -> str:
    place = random.randrange(len(line) + 1)
    if random.random() < 0.4:
        return line[:place] + line[place + random.randint(1, 3) :]
    return line[:place] + random.choice(_MUTATIONS) + line[place:]


def _statement(random: Random, depth: int) -> str:
    if depth > 0 and random.random() < 0.2:
        return _compound(random, depth)
    attack = random.choices(
        (_expanding, _testing, _calling_builtin, _listing, _declaring, _calculating, _in_brackets, _simple, _wrapped),
        (5, 5, 4, 3, 3, 1, 1, 4, 4),
    )[0]
    return attack(random)


def _compound(random: Random, depth: int) -> str:
    inner = _statement(random, depth - 1)
    match random.randrange(10):
        case 0:
            return f"({inner})"
        case 1:
            return f"{{ {inner}; }}"
        case 2:
            return f"if {inner}; then {_statement(random, 0)}; fi"
        case 3:
            return f"for {random.choice(('x', 'y', 'PATH', 'i'))} in {_words(random)}; do {inner}; done"
        case 4:
            return f"while good; do {inner}; done"
        case 5:
            return f"case {_word(random)} in {random.choice(('x', '*', _word(random)))}) {inner};; esac"
        case 6:
            name = random.choice(("f", "ok", "ok", "true", "echo"))
            return f"{name}() {{ {inner}; }}; {name} {random.choice(('', 'good '))}{_words(random)}"
        case 7:
            return f"! {inner}"
        case 8:
            return f"eval '{inner.replace(chr(39), '')}'"
        case _:
            return f"trap '{inner.replace(chr(39), '')}' EXIT"


def _expanding(random: Random) -> str:
    return f"{random.choice((':', ':', 'echo', 'ok good', 'z='))} {_expansion(random)}".replace("= ", "=")


def _testing(random: Random) -> str:
    words = " ".join(random.choice(_TESTS) for _ in range(random.choice((1, 2, 2, 3, 3, 4, 5))))
    return random.choice(("test {}", "test {}", "[ {} ]", "[ {} ]", "[[ {} ]]", "\\[ {} ]")).format(words)


def _calling_builtin(random: Random) -> str:
    return f"{random.choice(_BUILTINS)} {_words(random)}"


def _listing(random: Random) -> str:
    return f"{random.choice(('a', 'b', 'q', 'x'))}{random.choice(('=', '+='))}({_elements(random)})"


def _declaring(random: Random) -> str:
    name = random.choice(("declare", "declare", "export", "readonly", "typeset", "f() { local x=$1; }; local"))
    option = random.choice(("", "", "", "-a ", "-A ", "-x ", "-i ", "-n ", "-ra ", "-g "))
    if random.random() < 0.3:
        return f"ok() {{ {name} {option}{random.choice(('PATH', 'x', 'IFS', 'b'))}; command ok good; }}"
    value = random.choice(('"$y"', '"$x"', _LIST, _word(random)))
    return f"{name} {option}{random.choice(_ASSIGNED)}{value}"


def _calculating(random: Random) -> str:
    kind = random.choice(
        ("(({}))", "let {}", "for (({};1;)); do break; done", "echo $(({}))", ": $[{}]", "echo ${{x:{}}}")
    )
    return kind.format(random.choice(_OPERANDS))


def _in_brackets(random: Random) -> str:
    return random.choice(
        ("[a/b]", "! [a/b]", "[a/b] x", "[!a]", "[[a/b ]]", "[ a/b]", "d/evil", "time [a/b]", "[a/b] ]")
    )


def _wrapped(random: Random) -> str:
    match random.randrange(6):
        case 0 | 1:
            return f"{_simple(random)} {_document(random)}"
        case 2:
            return f"{_simple(random)} {_redirection(random)}"
        case 3:
            return f"{random.choice(_ASSIGNED)}{_word(random)} {_simple(random)}"
        case 4:
            return f"{_redirection(random)} {random.choice(('', 'time '))}{_simple(random)}"
        case _:
            return f"{random.choice(_PREFIXES)} {_simple(random)}"


def _simple(random: Random) -> str:
    return f"{random.choice(_NAMES)} {_words(random)}"


def _words(random: Random) -> str:
    return " ".join(_word(random) for _ in range(random.choice((0, 0, 1, 1, 2))))


def _word(random: Random) -> str:
    match random.randrange(16):
        case 0 | 1 | 2:
            return _expansion(random)
        case 3 | 4:
            return random.choice(
                ("$x", '"$x"', '"$y"', "$y", '"$z"', "$@", '"$@"', '"${b[@]}"', "$*", "$1", '"$1"', "$?", "$#")
            )
        case 5 | 6:
            return random.choice(
                ("*", "?", "-?", "-*", "[a-z]*", "?*", "$*", "?[?]*", "[!x]", "-v*", "*]", "a*", "*=*", "'*'")
            )
        case 7 | 8:
            return random.choice(_VALUES)
        case 9:
            return random.choice(_TESTS)
        case 10:
            return random.choice(
                ("$(ok)", "`ok`", '"$(ok good)"', "<(ok)", "$(evil)", "$'\\x24(evil)'", '$"x"', "$((1+1))", "$((x))")
            )
        case 11:
            return random.choice(
                (
                    "{a,b}",
                    "{-v,'a[$(evil)]'}",
                    "~",
                    "a\\\nb",
                    "\\$x",
                    "'\\''",
                    '"\\$(evil)"',
                    "'\n'",
                    '"\n"',
                    "#",
                    "a#b",
                )
            )
        case _:
            return random.choice(("a", "good", "x", "1", "-n", "--", "-", "a=b", "ok", "EXIT", "!", "evil"))


def _expansion(random: Random) -> str:
    expansion = f"${{{random.choice(('', '', '', '', '!', '#'))}{random.choice(_PARAMETERS)}{random.choice(_OPERATORS)}"
    expansion += random.choice(_OPERANDS) + "}"
    return expansion if random.random() < 0.5 else f'"{expansion}"'


def _elements(random: Random) -> str:
    keys = ("", "", "[0]=", "[x]=", "[$x]=", '["x"]=', "[a[0]]=", "\\\n[x]=", "[x]+=", "[ x ]=", "[1+x]=", "[0]")
    return " ".join(random.choice(keys) + _word(random) for _ in range(random.randrange(4)))


def _document(random: Random) -> str:
    if random.random() < 0.3:
        return f"<<< {_word(random)}"
    start = random.choice(("E", "E", "'E'", '"E"', "\\E", "$E", "E\\\n"))
    lines = (
        _word(random),
        "x \\",
        "\\",
        "$[x]",
        "$((x))",
        "echo '",
        "'",
        "`evil`",
        "E ",
        " E",
        "\tE",
        "E\\",
        "ok",
        "evil",
        "E)",
        "${x}",
    )
    body = "".join(f"{random.choice(lines)}\n" for _ in range(random.randrange(4)))
    after = random.choice(("", "", "evil\n", "ok\n", "'\n", "E\nevil\n'", '"\n', "ok good\n"))
    operator = random.choice(("<<", "<<", "<<-", "- <<", "- <<"))
    return f"{operator}{start}{random.choice(('', ' | ok', ' -x', ' # c'))}\n{body}E\n{after}"


def _redirection(random: Random) -> str:
    return random.choice(
        (
            "> o",
            ">> o",
            "2>&1",
            "2> d",
            "< x",
            "&> o",
            ">&2",
            ">& $x",
            "{v}> o",
            "<> o",
            ">| o",
            "< $x",
            "3< x",
            "> *",
            "> $y",
            "<&-",
            "0<&-",
            "2>o",
        )
    )
