"""Scripts of awk: those that cannot start a program, write a file or read files other than their operands.

awk runs programs by `system`, `|` and `getline`, and writes files by `>`; gawk loads libraries and calls functions by
their names with `@` (gawk's manual, sections 4.10, 5.6, 5.7, 9.1.4, 9.3); an operand can be put into ARGV.
"""

import re

_UNSAFE = re.compile(r"system|getline|ARGV|ARGC|[>@]|(?<!\|)\|(?!\|)|\|\|\||\\\n|\\\r")


def awk_doubt(script: str) -> str:
    """Return why the script may do more than print what it reads from its operands; empty where it cannot."""
    return "its script may run, read or write something else" if _UNSAFE.search(script) else ""
