"""Scripts of awk: recognises scripts that start no program, write no file and read only their operands.

awk runs programs by `system`, `|` and `getline`, and writes files by `>`; gawk loads libraries and calls functions by
their names with `@` (gawk's manual, sections 4.10, 5.6, 5.7, 9.1.4, 9.3); an operand can be put into ARGV.
"""

import re

_UNSAFE = re.compile(r"system|getline|ARGV|ARGC|[>@]|(?<!\|)\|(?!\|)|\|\|\||\\\n|\\\r")


def awk_doubt(script: str) -> str:
    """Return why the script may do more than print text from its operands, or "" if the script only prints."""
    return "its script may run, read or write something else" if _UNSAFE.search(script) else ""
