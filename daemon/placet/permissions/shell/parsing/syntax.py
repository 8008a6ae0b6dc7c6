"""The grammar, and the meaning of its kinds of node for the walk."""

import itertools
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from placet.permissions.shell.inspection import Words, names
from placet.permissions.shell.source import source_of

WORDS = names("""
    word string raw_string ansi_c_string translated_string concatenation number simple_expansion expansion
    command_substitution process_substitution arithmetic_expansion brace_expression
""")
BLOCKS = names("program compound_statement do_group else_clause")
BRANCHES = names("if_statement elif_clause case_statement case_item")
LOOPS = names("while_statement for_statement c_style_for_statement")
SHELL_OWN_COMMANDS = names("declaration_command unset_command test_command")
UNDERSTOOD = (
    WORDS
    | SHELL_OWN_COMMANDS
    | names("""
    binary_expression unary_expression ternary_expression postfix_expression parenthesized_expression array subscript
    test_operator variable_name special_variable_name extglob_pattern regex heredoc_body heredoc_content heredoc_start
    heredoc_end heredoc_redirect herestring_redirect string_content file_descriptor variable_assignment
    variable_assignments command_name
""")
)
"""Nodes that are no statement, and hold no command except in the substitutions below."""


def parse(data: bytes) -> Node:
    """Return the root of the tree of a piece of shell code."""
    return _parser().parse(data).root_node


def redirect_words(redirect: Node) -> tuple[Node | None, list[Node]]:
    """Return the target of a file_redirect, and the words behind the target, which the grammar takes for targets
    too."""
    words = redirect.children_by_field_name("destination")
    if any(child.type in ("<&-", ">&-") for child in redirect.children):
        return None, words
    return (words[0], words[1:]) if words else (None, [])


def has_touching_words(command: Node) -> bool:
    """Return whether two words of a command stand together without a blank, so that bash reads a single word."""
    return any(
        left.end_byte == right.start_byte
        and (left.type in WORDS or left.type in ("command_name", "variable_assignment"))
        and (right.type in WORDS or right.type == "command_name")
        for left, right in itertools.pairwise(command.children)
    )


def is_time_keyword(node: Node) -> bool:
    """Return whether a command's `time` is the keyword: `time` begins a pipeline, and nothing stands before the word.
    Bash's manual, 3.2.3 "Pipelines".

    `x=1 time a`, `> o time a`, `b | time a`, `"time" a` and `env time a` run a program of the same name.
    """
    name = node.child_by_field_name("name")
    if name is None or source_of(name) != "time" or name.start_byte != node.start_byte:
        return False
    around = node.parent
    while around is not None and around.type in ("pipeline", "redirected_statement", "list"):
        if around.start_byte != node.start_byte:
            return around.type == "list"
        around = around.parent  # The grammar takes the end of `a | time b || c` for a list within the pipeline.
    return True


def has_option_of_the_program(words: Words) -> bool:
    """Return whether a word behind the keyword `time` is an option of the program `time`, and not of the keyword."""
    index = 1
    for own in ("-p", "--"):
        if index < len(words) and words[index].source == own:
            index += 1
    return index < len(words) and (words[index].value or "").startswith("-")


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))
