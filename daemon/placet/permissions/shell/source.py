"""Conversion of shell code into bytes for the grammar, and back.

The scanner of tree-sitter-bash 0.25.1 asks C's `isalnum` of every character, and a large character kills the process
(`{` before a Chinese character). So every byte of the UTF-8 becomes a character of its own below 256.
"""

from tree_sitter import Node

# Bytes that as characters would be blanks, by bytes that UTF-8 never has.
_TO_PARSE = str.maketrans({0x85: 0xC0, 0xA0: 0xC1})
_FROM_PARSE = str.maketrans({0xC0: 0x85, 0xC1: 0xA0})


def to_parse(code: str) -> bytes:
    """Return the bytes for the parser."""
    data = code.encode("utf-8", "replace")
    return data if data.isascii() else data.decode("latin-1").translate(_TO_PARSE).encode("utf-8")


def text_of(data: bytes) -> str:
    """Return the code for a piece of the parser's bytes."""
    if data.isascii():
        return data.decode("ascii")
    characters = data.decode("utf-8", "replace").translate(_FROM_PARSE)
    return characters.encode("latin-1", "replace").decode("utf-8", "replace")


def source_of(node: Node) -> str:
    """Return the code of a node."""
    return text_of(node.text or b"")
