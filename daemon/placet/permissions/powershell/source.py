"""Source of a line of PowerShell for the grammar: every character becomes an ASCII character at the same place.

The grammar (tree-sitter-powershell 0.26) fails at some everyday words; such words are spelled otherwise for the grammar
alone, with the same length, so that the places of the tree are places of the line.
"""

import re
import unicodedata

_SPECIAL = re.compile(r"`|--%|@['\"]|<#|#|\0|[\x01-\x08\x0b-\x1f\x7f]")
"""Escapes, comments and texts over several lines, of which the grammar and PowerShell may think differently."""
_MISREAD = frozenset(("Zs", "Zl", "Zp", "Pd", "Pi", "Pf", "Ps", "Pe", "Cc", "Cf", "Cs", "Cn", "Co"))
"""Categories of characters that PowerShell may take for blanks, dashes, quotes or brackets."""
_DISCARDED = re.compile(r"(?<=[\s)}])[1-6*]?>{1,2}[ \t]*\$null(?=[\s;|)}]|$)", re.IGNORECASE)
_OPTION_WITH_VALUE = re.compile(r"(?<=[ \t])--?[A-Za-z][\w.-]*=[\w.,:/\\%~^+=-]*(?=[\s;|)}]|$)")
_END_OF_OPTIONS = re.compile(r"(?<=[ \t])--(?=[ \t])")


def doubts_of(line: str) -> list[str]:
    """Return the points of a line that this package and PowerShell may read differently."""
    if _SPECIAL.search(line) or any(unicodedata.category(char) in _MISREAD for char in line if not char.isascii()):
        return ["the line has characters that PowerShell reads in a way of its own"]
    return []


def for_grammar(line: str) -> bytes:
    """Return the line as the grammar reads it best."""
    text = "".join(char if char.isascii() else "x" for char in line)
    text = _DISCARDED.sub(lambda match: " " * len(match[0]), text)
    text = _OPTION_WITH_VALUE.sub(lambda match: "-" + "x" * (len(match[0]) - 1), text)
    return _END_OF_OPTIONS.sub("xx", text).encode("ascii")
