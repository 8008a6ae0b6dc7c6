"""Constructs in which bash evaluates the *value* of a variable, and runs the substitutions that the value holds.

`x='a[$(rm y)]'; ((x))` runs rm. Bash's manual, 6.5 "Shell Arithmetic", 6.7 "Arrays", 3.5.3 "Shell Parameter Expansion".
This module lists the forms that are proved to evaluate nothing; every other form is a doubt.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from placet.permissions.shell.assignments import assignment_doubt
from placet.permissions.shell.source import source_of

_PLAIN_NUMBERS = re.compile(r"(?:\$\(\(|\(\()(?:\d+|[\s()+*/%<>=!&|^~?:,-])*\)\)", re.ASCII)
_PLAIN_LOOP = re.compile(r"for\s*\(\((?:\d+|[\s()+*/%<>=!&|^~?:,;-])*\)\)", re.ASCII)
_INDEX = re.compile(r"\d+|[@*]", re.ASCII)
_PARAMETER = r"(?:[A-Za-z_]\w*|\d+|[@*#?$!-])"
_ELEMENT = r"[A-Za-z_]\w*\[(?:\d+|[@*])\]"
_TEXT = r"[^{}$`'\"\\]*"
PLAIN_EXPANSION = re.compile(
    rf"""
    \$\{{(?:
        \#?(?:{_PARAMETER}|{_ELEMENT})          # a value, or its length
      | (?:[A-Za-z_]\w*|\d+|[@*?$-]|{_ELEMENT})
        (?: :?[-+?]{_TEXT}                      # a default
          | [#]{{1,2}}{_TEXT} | %%?{_TEXT}      # without a prefix or a suffix
          | //?{_TEXT} | \^\^?{_TEXT} | ,,?{_TEXT}
          | :\s*(?:\d+|\(-\d+\)|\ -\d+)(?:\s*:\s*-?\d+)?\s*  # a piece, by plain numbers
        )
      | [A-Za-z_]\w*:?={_TEXT}                  # a default that is kept
    )\}}
    """,
    re.VERBOSE | re.ASCII,
)
_SETTING = re.compile(r"\$\{(\w+):?=", re.ASCII)
_NUMERIC_TEST = re.compile(r"-(eq|ne|lt|le|gt|ge|v|R)\b")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DECLARING_OPTION = re.compile(r"[-+][xrgpfF]+|--")


def evaluation_doubts(node: Node) -> Iterator[str]:
    """Yield why the node, without the nodes below, may run more than the node shows."""
    source = source_of(node)
    match node.type:
        case "variable_assignment" if doubt := assignment_doubt(source):
            yield doubt
        case "arithmetic_expansion" if not _PLAIN_NUMBERS.fullmatch(source):
            yield "arithmetic with more than plain numbers may run what a variable holds"
        case "compound_statement" if source.startswith("((") and not _PLAIN_NUMBERS.fullmatch(source):
            yield "arithmetic with more than plain numbers may run what a variable holds"
        case "c_style_for_statement" if not _PLAIN_LOOP.match(source):
            yield "arithmetic with more than plain numbers may run what a variable holds"
        case "subscript":
            index = node.child_by_field_name("index")
            if index is None or not _INDEX.fullmatch(source_of(index)):
                yield "an index may run what a variable holds"
        case "expansion":
            yield from _expansion(source)
        case "test_command" if source.startswith("[[") and _NUMERIC_TEST.search(source):
            yield "a numeric test may run what a variable holds"
        case "declaration_command":
            yield from _declaration(node, source)
        case "unset_command":
            yield from _unset(node)
        case "for_statement":
            variable = node.child_by_field_name("variable")
            if variable is not None and (doubt := assignment_doubt(f"{source_of(variable)}=")):
                yield doubt
        case _:
            pass


def _expansion(source: str) -> Iterator[str]:
    if not PLAIN_EXPANSION.fullmatch(source):
        yield f"{source} may run what a variable holds"
    elif (setting := _SETTING.match(source)) and (doubt := assignment_doubt(f"{setting[1]}=")):
        yield doubt


def _unset(node: Node) -> Iterator[str]:
    parts = [source_of(part) for part in node.named_children]
    if not all(_NAME.fullmatch(part) or part in ("-f", "-v", "-n") for part in parts):
        yield "unset may evaluate what stands in brackets"
    for part in parts:
        if not part.startswith("-") and (doubt := assignment_doubt(f"{part}=")):
            yield doubt  # Without PATH, bash looks for programs in its working directory.


def _declaration(node: Node, source: str) -> Iterator[str]:
    command = source.split()[0]
    parts = [(part.type, source_of(part)) for part in node.named_children]
    options = [text for _, text in parts if _DECLARING_OPTION.fullmatch(text)]
    named = [text for kind, text in parts if kind != "variable_assignment" and text not in options]
    if not all(_NAME.fullmatch(name) for name in named):
        yield f"{command} may change how the shell reads what follows"
    elif command not in ("export", "readonly") and not any(set(option) & set("pfF") for option in options):
        for name in named:
            if doubt := assignment_doubt(f"{name}="):
                yield doubt  # In a function the variable is new and without a value: PATH may be such a variable.
