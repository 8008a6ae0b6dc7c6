"""Text that the grammar may not see, or reads otherwise than bash.

tree-sitter-bash reads some lines otherwise than bash does, and reports no error. This module lists text that is known
or feared to be read differently, and makes a line with such text unproved. The differential tests against bash itself
keep this list honest.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from placet.permissions.shell.inspection import names
from placet.permissions.shell.source import source_of, text_of

RESERVED = names("if then else elif fi do done case esac while until for select function in { } ! [[ ]] coproc (( ))")
_INERT = frozenset({"comment", "raw_string", "ansi_c_string", "heredoc_start", "heredoc_end"})
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_OPENERS = frozenset({"$(", "`", "<(", ">(", ")", "$((", "$["})
_HIDDEN = re.compile(r"\\.|(`)((?:\\.|[^`\\])*)`?|(\$\(|[<>]\()(.*)", re.DOTALL)
_CONTINUATION = re.compile(r"\\\n")
_PLAIN_CONTINUATION = re.compile(r"[^\s\\][ \t]+\\\n")


def suspicions(line: str) -> list[str]:
    """Return the doubts from the characters alone."""
    doubts: list[str] = []
    if any(_is_odd(character) for character in line):
        doubts.append("it holds control characters or unusual blanks")
    if len(_CONTINUATION.findall(line)) > len(_PLAIN_CONTINUATION.findall(line)):
        doubts.append("it breaks a line where that may join two words")
    return doubts


def hidden_code(root: Node) -> Iterator[str]:
    """Yield the text of substitutions that the tree does not show as such: in `"${X:=`…`}"`, in here-documents, …"""
    for node in _live_nodes(root):
        if node.type in _OPENERS and node.parent is not None:
            continue
        for text in _own_text(node):
            for substitution in _HIDDEN.finditer(text):
                if substitution[1]:
                    yield re.sub(r"\\([$`\\])", r"\1", substitution[2])
                elif substitution[3] and (
                    substitution[3] == "$(" or node.type not in ("string_content", "heredoc_content", "string")
                ):
                    yield substitution[4].partition(")")[0]


def is_quoted_document(redirect: Node) -> bool:
    """Return whether a here-document's delimiter is quoted, so that the document is only text."""
    return any(node.type == "heredoc_start" and re.search(r"[\\'\"]", source_of(node)) for node in redirect.children)


def _is_odd(character: str) -> bool:
    if character < " ":
        return character not in "\n\t"
    return character == "\x7f" or (character > "\x7f" and (character.isspace() or "\ud800" <= character <= "\udfff"))


def _live_nodes(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _INERT:
            continue
        if node.type == "heredoc_body" and node.parent is not None and is_quoted_document(node.parent):
            continue
        yield node
        stack.extend(node.children)


def _own_text(node: Node) -> Iterator[str]:
    """Yield the runs of a node's text that no child covers."""
    data = node.text or b""
    position = node.start_byte
    for child in node.children:
        if child.start_byte > position:
            yield text_of(data[position - node.start_byte : child.start_byte - node.start_byte])
        position = max(position, child.end_byte)
    if node.end_byte > position:
        yield text_of(data[position - node.start_byte :])
