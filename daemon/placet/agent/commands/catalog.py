"""Catalog of all commands: built-in commands, skills, files and settings; later sources outweigh earlier sources."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from placet.agent.commands.files import IsTrusted, commands_of_files, from_settings
from placet.agent.commands.front_end_commands import commands_in
from placet.agent.commands.template import hint_in
from placet.agent.texts import text_for
from placet.core.messages import PromptPart, TextPart
from placet.core.values import replace
from placet.extensions.commands import Command
from placet.permissions.rules import BUILT_IN
from placet.project.prefixed_directory import Directory
from placet.project.skills import Skill, given_text
from placet.settings import Settings

BUILTIN = (
    Command(
        "init",
        "Write AGENTS.md for this project, or improve the existing file",
        BUILT_IN,
        "[focus]",
        text_for("command_init"),
    ),
    Command(
        "remember",
        "Propose a note for later sessions, in your memory or the project's",
        BUILT_IN,
        "[note]",
        text_for("command_remember"),
    ),
    Command(
        "review",
        "Review uncommitted changes, a commit, a branch or a pull request",
        BUILT_IN,
        "[commit|branch|pull request]",
        text_for("command_review"),
        agent="explore",
        subtask=True,
    ),
)

_SKILL_SOURCE = "the skill "


class CommandCatalog:
    """Catalog of the commands of one front end, by name, in the order of the names."""

    def __init__(self, commands: Iterable[Command] = BUILTIN, *, problems: Sequence[str] = ()) -> None:
        by_name = {command.name: command for command in commands}
        self._commands: Mapping[str, Command] = {name: by_name[name] for name in sorted(by_name)}
        self.problems: tuple[str, ...] = tuple(problems)
        """Texts about the parts of files and settings which could not be used, each with the place."""

    @property
    def all(self) -> tuple[Command, ...]:
        return tuple(self._commands.values())

    def find(self, name: str) -> Command | None:
        return self._commands.get(name)

    def with_others(self, others: Iterable[Command]) -> "CommandCatalog":
        """Return a catalog with the commands of extensions added where the name is free."""
        return CommandCatalog((*others, *self.all), problems=self.problems)


def read_commands(
    settings: Settings, directories: Sequence[Directory], skills: Mapping[str, Skill], is_trusted: IsTrusted
) -> CommandCatalog:
    """Return the catalog. Nothing raises: an unusable command is left out and reported as a problem. Blocks."""
    problems: list[str] = []
    files = list(commands_of_files(directories, is_trusted, problems))
    written = [
        from_settings(name, command_settings, "your settings") for name, command_settings in settings.command.items()
    ]
    reserved = {command.name for command in commands_in("editor")}
    for command in (*files, *written):
        if command.name in reserved:
            problems.append(f"{command.source}: `/{command.name}` is a command of the editor; choose another name")
    own = (
        replace(command, argument_hint=command.argument_hint or hint_in(command.template))
        for command in (*files, *written)
    )
    # A skill does not compete with a command: the tool loads the skill all the same.
    return CommandCatalog((*map(_of_skill, skills.values()), *BUILTIN, *own), problems=problems)


def skill_of(command: Command) -> str | None:
    """Return the name of the skill which the command loads, or None if the command loads no skill."""
    return command.source.removeprefix(_SKILL_SOURCE) if command.source.startswith(_SKILL_SOURCE) else None


def _of_skill(skill: Skill) -> Command:
    async def give(arguments: Sequence[str], _outputs: Path) -> Sequence[PromptPart]:
        return await _skill_parts(skill, arguments)

    return Command(
        skill.name.replace(" ", "-"), skill.description, f"{_SKILL_SOURCE}{skill.name}", "[task]", parts=give
    )


async def _skill_parts(skill: Skill, words: Sequence[str]) -> Sequence[PromptPart]:
    """Return the skill as read together with the commands, since the user trusts this text of a project's skill."""
    instructions = given_text(skill)
    return [TextPart(text=f"{instructions}\n\n{' '.join(words)}" if words else instructions)]
