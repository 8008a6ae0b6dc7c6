"""Scripts of sed: known commands only change and print text; every other command is a doubt.

GNU sed runs programs by `e` and by the flag `e` of `s`; `w`, `W`, `r`, `R` name files (GNU sed's manual, sections 3.3
and 3.8). If one version of sed could end an expression earlier than another, the script is doubted as well: brackets
must be closed before the delimiter, since BSD's sed takes a delimiter in brackets for text.
"""

import re

_BLANK = r"[ \t]*"
_DELIMITER = r"[^\\\n\[\]\w\s]"


def _until(delimiter: str) -> str:
    """Return the expression for text up to a delimiter, with every bracket closed before the delimiter."""
    bracket = rf"\[\^?\]?(?:\[[:.=]\w+[:.=]\]|\\[^\n]|(?!{delimiter})[^]\\\n\[])*\]"
    return rf"(?:\\[^\n]|{bracket}|(?!{delimiter})[^\\\n\[])*{delimiter}"


def _address(mark: str) -> str:
    return rf"(?:\d+(?:~\d+)?|\$|[+~]\d+|/{_until('/')}I?|\\(?P<{mark}>{_DELIMITER}){_until(f'(?P={mark})')}I?)"


_SUBSTITUTION = rf"s(?P<s>{_DELIMITER}){_until('(?P=s)')}(?:\\[^\n]|(?!(?P=s))[^\\\n])*(?P=s)[gpiImM\d]*"
_TRANSLATION = rf"y(?P<y>{_DELIMITER})(?:\\[^\n]|(?!(?P=y))[^\\\n])*(?P=y)(?:\\[^\n]|(?!(?P=y))[^\\\n])*(?P=y)"
_COMMAND = re.compile(
    rf"(?:{_address('first')}(?:{_BLANK},{_BLANK}{_address('second')})?)?{_BLANK}!?{_BLANK}"
    rf"(?:{_SUBSTITUTION}|{_TRANSLATION}|[dDgGhHnNpPxz=F}}]|[lqQ]{_BLANK}\d*|[btT]{_BLANK}[A-Za-z0-9_]*"
    rf"|:{_BLANK}[A-Za-z0-9_]+|(?P<opening>\{{)|[aic]{_BLANK}[^\s\\][^\\\n]*(?=\n|\Z))"
)
_END = re.compile(rf"{_BLANK}(?:[;\n}}#]|\Z)")
_BETWEEN = re.compile(r"[\s;]*(?:#[^\n]*(?:\n|\Z)[\s;]*)*")


def sed_doubt(script: str) -> str:
    """Return why the script may do more than change and print text, or "" if the script cannot."""
    position = _next_command(script, 0)
    while position < len(script):
        command = _COMMAND.match(script, position)
        if command is None or not (command["opening"] or _END.match(script, command.end())):
            return "its script may run or write something"
        position = _next_command(script, command.end())
    return ""


def _next_command(script: str, position: int) -> int:
    separator = _BETWEEN.match(script, position)
    assert separator is not None
    return separator.end()
