"""Choice of the inspection for a program, by the program's name."""

import re
from collections.abc import Sequence

from placet.core.values import replace
from placet.permissions.shell.assignments import assignment_doubt
from placet.permissions.shell.inspection import MAY_BECOME_OPTION, Inspection, Words, may_become_option, names
from placet.permissions.shell.offers import MOST_WORDS, commands_behind, is_starter
from placet.permissions.shell.programs.acting_options import inspect_options, may_run_by_option
from placet.permissions.shell.programs.builtins import inspect_builtin
from placet.permissions.shell.programs.git import inspect_git
from placet.permissions.shell.programs.interpreters import inspect_interpreter
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
    takes_files = program in _TAKING_LISTS_OF_FILES and not (
        program == "tar" and any(word.has_wildcard for word in words[1:2])
    )
    if not inspection.wildcard_doubt or takes_files:
        return inspection
    return replace(inspection, doubt=inspection.doubt or inspection.wildcard_doubt, wildcard_doubt="")


def _inspected(program: str, words: Words) -> Inspection:
    if program == "git":
        return inspect_git(words)
    if (vouched := inspect_vouched(program, words)) is not None:
        return vouched
    launcher = inspect_launcher(program, words, assignment_doubt)
    if launcher is None and (doubt := _starter_doubt([word.value or "" for word in words])):
        return Inspection(doubt=doubt)
    inspection = launcher or inspect_interpreter(program, words) or inspect_options(program, words)
    if (launcher or may_run_by_option(program)) and may_become_option(words):
        return replace(inspection, wildcard_doubt=MAY_BECOME_OPTION)
    return inspection


def _starter_doubt(words: Sequence[str]) -> str:
    """Return why the command that a program may start cannot be known, or ""."""
    if not is_starter(words):
        return ""
    behind = (command[0].rpartition("/")[2] for command in commands_behind(words))
    if len(words) > MOST_WORDS or any(map(starts_programs, behind)):
        return "it may start a program that runs further commands"
    return ""
