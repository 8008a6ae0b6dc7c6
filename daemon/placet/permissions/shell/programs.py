"""Which inspection a program gets, by its name."""

import re
from dataclasses import replace

from placet.permissions.shell.assignments import assignment_doubt
from placet.permissions.shell.builtins import inspect_builtin
from placet.permissions.shell.git import inspect_git
from placet.permissions.shell.inspection import Inspection, Words, may_become_option
from placet.permissions.shell.interpreters import inspect_interpreter, may_run_by_option
from placet.permissions.shell.launchers import inspect_launcher
from placet.permissions.shell.vouched import inspect_vouched


def inspect(words: Words) -> Inspection:
    """What the command starts in its turn; its name must be known."""
    name = words[0].value or ""
    program = re.sub(r"\.(exe|cmd|bat)$", "", name.rpartition("/")[2])
    if "/" not in name and (found := inspect_builtin(name, words)) is not None:
        return found
    if program == "git":
        return inspect_git(words)
    if (found := inspect_vouched(program, words)) is not None:
        return found
    launcher = inspect_launcher(program, words, assignment_doubt)
    inspection = launcher or inspect_interpreter(program, words) or Inspection()
    if (launcher or may_run_by_option(program)) and may_become_option(words) and not inspection.doubt:
        return replace(inspection, doubt="a wildcard may become an option that runs something")
    return inspection
