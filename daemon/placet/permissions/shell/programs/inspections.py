"""Choice of the inspection for a program, by the program's name."""

import re

from placet.core.values import replace
from placet.permissions.shell.assignments import assignment_doubt
from placet.permissions.shell.inspection import MAY_BECOME_OPTION, Inspection, Words, may_become_option, names
from placet.permissions.shell.offers import commands_behind
from placet.permissions.shell.programs.builtins import inspect_builtin
from placet.permissions.shell.programs.git import inspect_git
from placet.permissions.shell.programs.interpreters import inspect_interpreter, may_run_by_option
from placet.permissions.shell.programs.launchers import inspect_launcher, starts_programs
from placet.permissions.shell.programs.vouched import inspect_vouched

_TAKING_LISTS_OF_FILES = names("find gfind git rg sed gsed sort tar")
"""Programs to which a name without a dash at its start is no option, wherever the name stands."""


def inspect(words: Words) -> Inspection:
    """Return the inspection of the command, with all commands started in turn. The command's name must be known."""
    name = words[0].value or ""
    program = re.sub(r"\.(exe|cmd|bat)$", "", name.rpartition("/")[2])
    if "/" not in name and (builtin := inspect_builtin(name, words)) is not None:
        return builtin
    inspection = _inspected(program, words)
    takes_files = program in _TAKING_LISTS_OF_FILES and not (program == "tar" and words[1].has_wildcard)
    if not inspection.wildcard_doubt or takes_files:
        return inspection
    return replace(inspection, doubt=inspection.doubt or inspection.wildcard_doubt, wildcard_doubt="")


def _inspected(program: str, words: Words) -> Inspection:
    if program == "git":
        return inspect_git(words)
    if (vouched := inspect_vouched(program, words)) is not None:
        return vouched
    launcher = inspect_launcher(program, words, assignment_doubt)
    if launcher is None and (started := _started_launcher(words)):
        return Inspection(doubt=f"it may start {started}, which runs further commands")
    inspection = launcher or inspect_interpreter(program, words) or Inspection()
    if (launcher or may_run_by_option(program)) and may_become_option(words):
        return replace(inspection, wildcard_doubt=MAY_BECOME_OPTION)
    return inspection


def _started_launcher(words: Words) -> str:
    """Return a program that starts other programs among the commands that the program may start, or ""."""
    behind = (command[0].rpartition("/")[2] for command in commands_behind([word.value or "" for word in words]))
    return next((name for name in behind if starts_programs(name)), "")
