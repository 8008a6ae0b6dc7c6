"""Command lines made up: by the shell's grammar, and by throwing its tokens together."""

from random import Random

TOKENS = (
    *("a", "b", "x", "1", " ", " ", " ", "\n", ";", "&", "&&", "||", "|", "(", ")", "{", "}", "$", "$(", "`", '"', "'"),
    *("\\", "<", ">", "<<", "<<<", "#", "=", "!", "[", "[[", "]", "]]", "$((", "((", "))", "${", "if ", "then ", "fi"),
    *("do ", "done", "while ", "for ", "in ", "case ", "esac", ";;", "function ", "time ", "coproc ", "*", "?", "~"),
    *("-", "+", "%", ":", "@", ",", "^", "\t", "<(", ">(", "$'", "|&", "&>", "2>", ">&", "<<-", "\nE\n", "E", "eval "),
    *("exec ", "else ", "elif ", "until ", "a ", "b ", "a b", '"a"', "'b'", "$x", "x=", "x=a", "{ ", "; }", "( ", ")"),
    *("\r", "\v", "\xa0", "\f", "\\\n", "cd d", "&>>", ">|", "<>", "<&", "$[", "declare ", "let ", "test ", "[ ", " ]"),
    *("unset ", "printf ", "-2> ", " # ", "'\n"),
)
"""No `/` and no `.` among them: what they make up can write nowhere but in its own directory."""


def token_soup(random: Random) -> str:
    return "".join(random.choice(TOKENS) for _ in range(random.randint(1, 14)))


def grammatical_line(random: Random, depth: int = 2) -> str:
    """A line that bash accepts, of the constructs that commands are hidden in."""
    line = _statement(random, depth)
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        joint = random.choice([" && ", " || ", "; ", "\n", " & ", " | ", "&&", "||", ";", " # c\n", " \\\n && "])
        line += joint + _statement(random, depth)
    return line


def _statement(random: Random, depth: int) -> str:
    def line() -> str:
        return grammatical_line(random, depth - 1)

    if depth <= 0:
        return _simple(random, 0)
    match random.randrange(18):
        case 0:
            return f"({line()}\n)"
        case 1:
            return f"{{ {line()}\n}}"
        case 2:
            return f"if {line()}\nthen {line()}\nelse {line()}\nfi"
        case 3:
            return f"for v in a b; do {line()}\ndone"
        case 4:
            return f"while b; do {line()}\ndone"
        case 5:
            pattern = random.choice(["x", "y", "x|y", "$(a)"])
            return f"case x in {pattern}) {line()}\n;; *) {line()}\n;; esac"
        case 6:
            return f"f() {{ {line()}\n}}; f"
        case 7:
            return f"{_simple(random, depth)} | {_simple(random, depth)}"
        case 8:
            return f"! {_simple(random, depth)}"
        case 9:
            return f"until a; do {line()}\ndone"
        case _:
            return _simple(random, depth)


def _simple(random: Random, depth: int) -> str:
    unquoted = _plain(random)
    match random.randrange(20):
        case 0 if depth > 0:
            wrapper = random.choice(["env", "nice", "timeout 5", "nohup", "command", "exec", "builtin eval", "time"])
            return f"{wrapper} {_plain(random)}"
        case 1 if depth > 0:
            return f"{random.choice(['sh', 'bash'])} -c '{unquoted}'"
        case 2 if depth > 0:
            return f"eval '{unquoted}'"
        case 3:
            return random.choice(["cd d", "cd ..", "cd", "cd d/e", "cd nope", "cd -"])
        case 4:
            return f"v=1 {_name(random)}"
        case 5:
            return f"find d -maxdepth 0 -exec {random.choice('abc')} x {{}} \\;"
        case 6:
            return random.choice(["true", "false", "echo x", "test x", "[ x = y ]", "[[ x == y ]]", "v=x", ":"])
        case 7 if depth > 0:
            end = random.choice(["E", "'E'", '"E"'])
            body = random.choice(["t", "$(a h)", "`b h`", "\\$(a)", "'$(b q)'"])
            return f"{_name(random)} <<{end}\n{body}\nE\n"
        case _:
            words = [_name(random), *(_argument(random, depth) for _ in range(random.randrange(3)))]
            if random.random() < 0.2:
                words.append(_redirection(random))
            if random.random() < 0.1:
                words.insert(0, _redirection(random))
            return " ".join(words)


def _plain(random: Random) -> str:
    return " ".join([random.choice("abc"), *random.choices(["x", "y1", "-z", "k=v", "d/f"], k=random.randrange(3))])


def _name(random: Random) -> str:
    return random.choice(["a", "b", "c", "git", '"a"', "'b'", "\\a", 'c""', "g'i't"])


def _argument(random: Random, depth: int) -> str:
    kind = random.randrange(14)
    if kind < 6 or (depth <= 0 and kind > 6):
        return random.choice(["x", "y1", "-z", "--long=v", "k=v", "d/f", "a#b", "-", "--"])
    match kind:
        case 6:
            return random.choice(["'p q'", '"p q"', '"p \\" q"', "$'p'", "p\\ q", "'#'", '"("', "';'"])
        case 7:
            return f"$({grammatical_line(random, depth - 1)}\n)"
        case 8:
            return f'"$({grammatical_line(random, depth - 1)}\n)"'
        case 9:
            return f"`{_plain(random)}`"
        case 10:
            return f"<({_plain(random)})"
        case 11:
            return "$v"
        case 12:
            return '"${v:-' + (f"$({_plain(random)})" if random.random() < 0.7 else f"`{_plain(random)}`") + '}"'
        case _:
            return "$((1 + 2))"


def _redirection(random: Random) -> str:
    kinds = ["> o", ">> o", "2>&1", "2>/dev/null", "< /dev/null", "&> o", ">&2", "<<< h", '<<< "$(b)"', ">o 2>&1"]
    return random.choice(kinds)
