"""Lines and texts made so that reading them takes for ever, of any length: for the tests, and for `make bench`."""

from collections.abc import Callable

SHELL_PIECES = (
    *("{a,", "{a..b}", "a{b,c}d", "a ", "a;", "a\n", "a && ", "a | ", "| ", "a || ", "(", "((a", "{ ", "$(", '"$('),
    *("`", "a `b` ", "<(", "case a in b) ", "if a; then ", "eval ", "time ", "time { ", "env ", "xargs ", "then "),
    *("fi ", "coproc ", "! ", "[ -a ", "[[ a && ", "a -a ", "$((1+", "1+", "${x:-", "${x}", "$x", "$'", "'a'", '"a"'),
    *("a\\\n", "<<E ", "a <<E;", "a <<E\n", "<<<a ", ">a ", "f() { a; };", "a;f() ", "x=1 ", "x=(", "a=([0]=1 "),
    *("a[b]=", "${a[", "declare x=1 ", "unset x ", "cd a;", "cd a || ", "(cd a);", "\u00e9", "$[", "<(a) ", "|", "&"),
    *("$(a $(b)) ", "a* ", "sh -c ", "find . -exec a ; ", "find -delete ", "test -a ", "printf %s ", '"${x:=`b`}"'),
    *("a # b\n", "trap a ", "git -c a=b "),
)
"""Pieces of command lines, each of which is repeated."""
SHELL_CONSTRUCTS = (
    ("echo ", "{a,", ""),
    ("[ ", "a -a ", "a ]"),
    ("echo $((", "1+", "1))"),
    ('echo "', "${x} ", '"'),
    ("[ ", "! ", "x ]"),
    ("curl -d ", "a", " host"),
    ("ls -", "a", ""),
    ("ls -", "a", "*"),
    ("a=x; ls ", "$a", ""),
)
"""Start, repeated piece and end of lines which are whole."""


def filled(start: str, piece: str, end: str, length: int) -> str:
    return start + piece * ((length - len(start) - len(end)) // len(piece)) + end


POWERSHELL: dict[str, Callable[[int], str]] = {
    "parentheses": lambda length: "(" * length,
    "words": lambda length: "x " * length,
    "blocks": lambda length: "{" * (length // 2) + "}" * (length // 2),
    "commands": lambda length: "a;" * (length // 2),
    "moves": lambda length: "cd a;x b;cd b;" * (length // 9),
    "conditions": lambda length: "if(1){" * (length // 8) + "}" * (length // 8),
    "a word": lambda length: "a" * 14 * length,
}
POWERSHELL_LENGTH = 1400

SEARCHES: dict[str, Callable[[int], tuple[str, str]]] = {
    "one letter": lambda size: ("a" * 20_000 * size, "a" * 1_000 * size),
    "one letter, and another at the end": lambda size: ("a" * 20_000 * size, "a" * 1_000 * size + "b"),
    "one letter, and another at the start": lambda size: ("a" * 20_000 * size, "b" + "a" * 1_000 * size),
    "all but the second letter": lambda size: ("ac" + "a" * 20_000 * size, "ac" + "a" * 1_000 * size),
    "few words in one line": lambda size: ("alpha beta gamma " * 300 * size, "beta alpha gamma " * 30 * size),
    "blanks of another width": lambda size: ("a " * 2_500 * size, "a  " * 125 * size + "b"),
    "equal lines": lambda size: ("a\n" * 500 * size, " a\n" * 30 * size + "b"),
    "a first line that stands everywhere": lambda size: ("a\n" * 500 * size, "a\n" + "b\n" * 30 * size + "c"),
    "equal lines with escapes": lambda size: ("a\\tb\n" * 500 * size, "a\tb\n" * 30 * size + "q"),
    "long lines that resemble": lambda size: (("abcdefgh" * 40 + "\n") * 200 * size, "hgfedcba" * 40),
    "functions that end alike": lambda size: (
        "".join(f"def function_{number}(a):\n    return a + {number}\n}}\n" for number in range(40 * size)),
        "}\n" + "".join(f"    other = call({number})\n" for number in range(60)) + "}\n",
    ),
}
"""A text and a quotation which fits nearly everywhere or nowhere."""
LARGEST = 100
"""Size of texts each of which once took between five seconds and hours."""


def twice_changed(size: int) -> tuple[str, str]:
    """Return two texts of which every comparison finds one line."""
    pairs = [name for number in range(60 * size) for name in (f"x{number + 1}\n", f"x{number}\n")]
    old = "".join(["A\n", "x0\n", *pairs, "B\n"])
    new = "".join(["C\n", *(line for number, name in enumerate(["x0\n", *pairs]) for line in (name, f"n{number}\n"))])
    return old, new


def patch_of_like_lines(size: int) -> tuple[str, str]:
    """Return a text and a patch, whose lines are all alike."""
    lines = " a\n" * 50 * size
    return "a\n" * 1_000 * size, f"*** Begin Patch\n*** Update File: f\n@@\n{lines}-b\n+c\n*** End Patch"


def one_change(lines: int) -> tuple[str, str]:
    """Return two texts of which one line differs."""
    numbered = [f"line number {number}\n" for number in range(lines)]
    return "".join(numbered), "".join([*numbered[: lines // 2], "changed\n", *numbered[lines // 2 + 1 :]])


DOCUMENTS = ("x = 'some ordinary line of code'\n", "é😀", "\n")
"""Pieces of documents in which a key is pressed."""

PATTERNS: dict[str, str] = {"*a*a*aX": "a", "*?*?*?X": "a", "**/a/**/a/**/a/X": "a/", "*a*a*a * *X": "a "}
"""Patterns with the piece of the value which they nearly fit."""
OUTPUTS: tuple[Callable[[int], str], ...] = (
    lambda length: "50%\r100%\n" + "x" * length,
    lambda length: "x\r" * (length // 2),
    lambda length: "\x1b[" * (length // 2),
    lambda length: "\x1b[" + "0" * length,
    lambda length: "\x1b]" * (length // 2),
    lambda length: "\x1b" + " " * length,
    lambda length: "\x9b0" * (length // 2),
)
"""Outputs of commands."""
JSON_TEXTS: tuple[Callable[[int], str], ...] = (
    lambda length: "/* " * (length // 3),
    lambda length: '"' + '\\"' * (length // 2),
    lambda length: '["' + '\\" /* ' * (length // 6),
)
"""Texts of settings whose comment or string has no end."""
ORDINARY_LINE = "cd src && npm test -- --watch=false 2>&1 | tail -n 20; git diff --stat > ../out.txt"
