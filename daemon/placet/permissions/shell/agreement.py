"""Whether the grammar and the second reading see the same words, commands, comments and redirections."""

from tree_sitter import Node

from placet.permissions.shell.second_reading import Unreadable, read_again
from placet.permissions.shell.syntax import redirect_words

_NAMES = frozenset({"command_name", "declaration_command", "unset_command", "test_command"})


def readings_differ(root: Node, data: bytes) -> bool:
    """Whether the tree and the second reading differ, or the second reading gives up."""
    try:
        reading = read_again(data.decode("latin-1"))
    except Unreadable:
        return True
    spans: set[tuple[int, int]] = set()
    names: set[int] = set()
    comments: set[int] = set()
    targets: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type != "file_descriptor":  # The grammar takes the `-2` of `a -2> b` for one.
            spans.add((node.start_byte, node.end_byte))
        if node.type in _NAMES:
            names.add(node.start_byte)
        elif node.type == "comment":
            comments.add(node.start_byte)
        elif node.type == "file_redirect" and (target := redirect_words(node)[0]) is not None:
            targets.add(target.start_byte)
        stack.extend(node.children)
    return not (
        spans.issuperset(reading.words)
        and names == set(reading.names)
        and comments == set(reading.comments)
        and targets == set(reading.targets)
    )
