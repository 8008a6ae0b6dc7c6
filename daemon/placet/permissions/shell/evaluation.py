"""Where bash evaluates: it runs the substitutions that a variable's *value* holds, in arithmetic and in indexes.

`x='a[$(rm y)]'; ((x))` runs rm. Bash's manual, 6.5 "Shell Arithmetic", 6.7 "Arrays", 3.5.3 "Shell Parameter Expansion".
"""

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from placet.permissions.shell.assignments import assignment_doubt
from placet.permissions.shell.inspection import names
from placet.permissions.shell.source import source_of

_VARIABLES = names("variable_name word simple_expansion expansion string raw_string")
_NUMERIC_TEST = re.compile(r"-(eq|ne|lt|le|gt|ge|v|R)\b")
_INDIRECT = re.compile(r"\$\{!|@[A-Za-z]\}")
_OFFSET = re.compile(r"\$\{\w+(?:\[[^\]]*\])?:([^-=?+].*)\}", re.DOTALL)
_SETTING = re.compile(r"\$\{(\w+):?=")


def evaluation_doubts(node: Node) -> Iterator[str]:
    """What this node, without those below it, may run beyond what it shows."""
    source = source_of(node)
    match node.type:
        case "variable_assignment" if doubt := assignment_doubt(source):
            yield doubt
        case "arithmetic_expansion":
            yield from _arithmetic(node.named_children)
        case "compound_statement" if source.startswith("(("):
            yield from _arithmetic(node.named_children)
        case "c_style_for_statement":
            yield from _arithmetic(node.named_children[:-1])
        case "subscript":
            index = node.child_by_field_name("index")
            if index is not None and not re.fullmatch(r"\d+|@|\*", source_of(index)):
                yield "an index may run what a variable holds"
        case "expansion":
            yield from _expansion(source)
        case "test_command" if source.startswith("[[") and _NUMERIC_TEST.search(source):
            yield "a numeric test may run what a variable holds"
        case "declaration_command":
            yield from _declaration(node, source)
        case "unset_command":
            yield from _unset(node, source)
        case "for_statement":
            variable = node.child_by_field_name("variable")
            if variable is not None and (doubt := assignment_doubt(f"{source_of(variable)}=")):
                yield doubt
        case _:
            pass


def _arithmetic(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        if node.type in _VARIABLES:
            yield "arithmetic with a variable may run what the variable holds"
        elif node.type == "command_substitution":
            yield "arithmetic with what a command prints may run that"
        else:
            yield from _arithmetic(node.named_children)


def _expansion(source: str) -> Iterator[str]:
    offset = _OFFSET.fullmatch(source)
    if _INDIRECT.search(source) or (offset and not re.fullmatch(r"[\d\s:()-]+", offset[1])):
        yield f"{source} may run what a variable holds"
    setting = _SETTING.match(source)
    if setting and not setting[1].islower():
        yield f"{source} sets a variable that programs may heed"


def _unset(node: Node, source: str) -> Iterator[str]:
    if set(source) & set("[$`'\"\\"):
        yield "unset may evaluate what stands in brackets"
    for name in node.named_children:
        if not source_of(name).startswith("-") and (doubt := assignment_doubt(f"{source_of(name)}=")):
            yield doubt  # Without PATH, bash looks for programs in the directory it is in.


def _declaration(node: Node, source: str) -> Iterator[str]:
    parts = node.named_children
    options = "".join(source_of(part) for part in parts if part.type == "word")
    is_plain = all(part.type in ("word", "variable_name", "variable_assignment") for part in parts)
    if not is_plain or re.search(r"[^-paAgrxfFl+]", options) or "[" in source.partition("=")[0]:
        yield f"{source.split()[0]} may change how the shell reads what follows"
