"""Comparison of the grammar's tree with the second reading: words, commands, comments and redirections."""

import re
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from placet.permissions.shell.parsing.bash_tokenizer import Reading
from placet.permissions.shell.parsing.syntax import redirect_words

Dropped = Mapping[int, Sequence[tuple[int, str]]]
"""Arguments missing in the tree, by the place of the command's name: each argument's place and text."""

_NAMES = frozenset({"command_name", "declaration_command", "unset_command", "test_command"})
_PLAIN_ARGUMENT = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


def dropped_arguments(root: Node, reading: Reading) -> Dropped | None:
    """Return the arguments that only the second reading sees, or None if the two readings differ otherwise.

    The grammar drops the `-` of `cat - <<E`. A plain word is believed where the tree has a gap.
    """
    spans: set[tuple[int, int]] = set()
    names: set[int] = set()
    comments: set[int] = set()
    targets: set[int] = set()
    commands: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type != "file_descriptor":  # The grammar takes the `-2` of `a -2> b` for one.
            spans.add((node.start_byte, node.end_byte))
        if node.type in _NAMES:
            names.add(node.start_byte)
        if node.type == "command_name":
            commands.add(node.start_byte)
        elif node.type == "comment":
            comments.add(node.start_byte)
        elif node.type == "file_redirect" and (target := redirect_words(node)[0]) is not None:
            targets.add(target.start_byte)
        stack.extend(node.children)
    if names != set(reading.names) or comments != set(reading.comments) or targets != set(reading.targets):
        return None
    dropped: dict[int, list[tuple[int, str]]] = {}
    for start, end in reading.words:
        if (start, end) in spans:
            continue
        command = reading.arguments.get((start, end))
        text = reading.text[start:end]
        if command not in commands or not _PLAIN_ARGUMENT.fullmatch(text) or not _is_gap(root, start, end):
            return None
        dropped.setdefault(command, []).append((start, text))
    return dropped


def _is_gap(root: Node, start: int, end: int) -> bool:
    """Return whether the only nodes at this place are nodes with children, and all children stand elsewhere."""
    around = root.descendant_for_byte_range(start, end)
    return (
        around is not None
        and bool(around.children)
        and all(child.end_byte <= start or child.start_byte >= end for child in around.children)
    )
