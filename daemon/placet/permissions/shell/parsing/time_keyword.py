"""Keyword `time` of bash, which is not the program of the same name. Bash's manual, 3.2.3 "Pipelines"."""

from tree_sitter import Node

from placet.permissions.shell.inspection import Words
from placet.permissions.shell.source import source_of


def is_time_keyword(node: Node) -> bool:
    """Return whether a command's `time` is the keyword: `time` begins a pipeline, and nothing stands before the word.

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
