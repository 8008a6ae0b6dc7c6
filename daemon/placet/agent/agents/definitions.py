"""Definitions of agents in files and settings: validated, and laid over the built-in agents."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from pydantic import ValidationError

from placet.agent.agents.agent import Agent, AgentCatalog
from placet.agent.agents.builtin import HIDDEN_AGENTS, builtin_agents
from placet.agent.agents.compat_tools import named_tools
from placet.agent.agents.files import AgentFileError, Vouches, Written, find_agent_files, read_agent_file
from placet.agent.compat_models import is_foreign_model
from placet.core.errors import SettingsError
from placet.core.spelling import nearest
from placet.core.values import replace
from placet.permissions.rules import Rule, from_config, from_tools
from placet.project.prefixed_directory import Directory
from placet.settings import AgentSettings, Settings
from placet.settings.permission import WrongPermission

NOT_USED = (
    *("color", "name", "options", "top_p", "topP", "variant"),
    *("background", "hooks", "maxTurns", "mcpServers", "memory", "permissionMode", "skills"),
)
"""Fields which other programs' agents may have and Placet has no use for."""
SETTABLE_OF_HIDDEN_AGENTS = {"description", "disable", "effort", "model", "prompt", "temperature"}
"""Fields which can be set of an agent which Placet itself asks, as such an agent has no tools and answers in one
call."""
KNOWN = (*AgentSettings.model_fields, "maxSteps", "max_steps", "disallowedTools")


class WrongDefinition(Exception):
    """An agent's definition cannot be used; the text names the place and the reason."""


class Definition(Struct, frozen=True):
    """Definition of an agent in a single place, validated."""

    settings: AgentSettings
    written: Written
    """Definition as written, kept for the agent's name and the place."""
    tools: frozenset[str] | None = None
    """Permissions of the tools which the definition names, if the agent has these tools alone."""


def read_catalog(
    settings: Settings,
    directories: Sequence[Directory],
    built_in: Sequence[Rule],
    *,
    vouches: Vouches = lambda _file, _content: True,
) -> AgentCatalog:
    """Return the catalog: the built-in agents, over these the files of the directories, over these the settings.

    Later definitions outweigh earlier definitions. A definition which cannot be used is left out and is a problem of
    the catalog. `built_in` are the rules which hold where nothing is set; files for which nobody `vouches` are passed
    over. Blocks.
    """
    problems: list[str] = []
    agents = {agent.name: agent for agent in builtin_agents()}
    disabled: set[str] = set()
    for written in _written(settings, directories, vouches, problems):
        try:
            definition = read_definition(written, problems)
            agents[written.name] = lay_over(agents.get(written.name), definition, built_in)
        except WrongDefinition as error:
            problems.append(str(error))
            continue
        if definition.settings.disable is not None:
            (disabled.add if definition.settings.disable else disabled.discard)(written.name)
    left = [agent for agent in agents.values() if agent.name not in disabled]
    if not any(agent.takes_prompts for agent in left):
        problems.append("No agent is left that takes prompts; the built-in agent `build` stays.")
        left = [builtin_agents()[0], *(agent for agent in left if agent.name != "build")]
    return AgentCatalog(left, default=_default(settings.default_agent, left, problems), problems=problems)


def read_definition(written: Written, notes: list[str]) -> Definition:
    """Return the definition, and add a note on each field which has no use here. Raises WrongDefinition."""
    if not isinstance(written.fields, dict):
        raise WrongDefinition(f"{_place(written)}: expected an object")
    fields: dict[str, Any] = {}
    for name, value in written.fields.items():
        if name in KNOWN:
            fields[name] = value
        elif name not in NOT_USED and (near := nearest(name, KNOWN)):
            raise WrongDefinition(f"{_place(written, name)}: there is no `{name}`; did you mean `{near}`?")
        else:
            notes.append(f"{_place(written, name)}: Placet ignores the field `{name}`")
    if is_foreign_model(fields.get("model")) and (model := fields.pop("model")) != "inherit":
        notes.append(f"{_place(written, 'model')}: `model: {model}` names no provider, and is ignored")
    tools = None
    if isinstance(fields.get("tools"), str | list):
        tools, unknown = named_tools(fields.pop("tools"))
        notes += (f"{_place(written, 'tools')}: no tool matches `{name}`" for name in unknown)
    if (denied := fields.pop("disallowedTools", None)) is not None:
        refused, unknown = named_tools(denied)
        notes += (f"{_place(written, 'disallowedTools')}: no tool matches `{name}`" for name in unknown)
        fields["tools"] = {**fields.get("tools", {}), **dict.fromkeys(sorted(refused), False)}
    if str(fields.get("prompt", "")).lstrip().startswith("{file:"):
        raise WrongDefinition(
            f"{_place(written, 'prompt')}: a prompt cannot be read from another file; write the agent as Markdown"
        )
    try:
        settings = AgentSettings.model_validate(fields)
    except ValidationError as error:
        issue = error.errors(include_url=False)[0]
        path, problem = tuple(map(str, issue["loc"])), issue["msg"]
        if isinstance(wrong := issue.get("ctx", {}).get("error"), WrongPermission):
            path, problem = path + wrong.path, wrong.problem
        raise WrongDefinition(f"{_place(written, *path)}: `{'.'.join(path)}`: {problem}") from error
    return Definition(settings, written, tools)


def lay_over(agent: Agent | None, definition: Definition, built_in: Sequence[Rule]) -> Agent:
    """Return the agent with the definition laid over, or a new agent if `agent` is None. Raises WrongDefinition."""
    settings = definition.settings
    if agent is None:
        agent = _new(definition)
    elif agent.name in HIDDEN_AGENTS and (wrong := sorted(settings.model_fields_set - SETTABLE_OF_HIDDEN_AGENTS)):
        raise WrongDefinition(
            f"{_place(definition.written, wrong[0])}: `{wrong[0]}` cannot be set for the internal agent `{agent.name}`;"
            f" only {', '.join(sorted(SETTABLE_OF_HIDDEN_AGENTS))} can be set"
        )
    return replace(
        agent,
        description=agent.description if settings.description is None else " ".join(settings.description.split()),
        prompt=settings.prompt or agent.prompt,
        short_prompt="" if settings.prompt else agent.short_prompt,
        mode=settings.mode or agent.mode,
        hidden=agent.hidden if settings.hidden is None else settings.hidden,
        model=settings.model or agent.model,
        temperature=agent.temperature if settings.temperature is None else settings.temperature,
        effort=agent.effort if settings.effort is None else settings.effort,
        max_steps=settings.steps or agent.max_steps,
        isolated=agent.isolated if settings.isolation is None else settings.isolation == "worktree",
        own_rules=agent.own_rules + _rules(definition, built_in),
        tools=agent.tools if definition.tools is None else definition.tools & (agent.tools or definition.tools),
        source=", ".join(dict.fromkeys((agent.source, definition.written.source))),
    )


def _rules(definition: Definition, built_in: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the rules which the definition sets, the older form first."""
    settings, written = definition.settings, definition.written
    try:
        return (
            *from_tools(settings.tools, written.source, written.lines, before=built_in),
            *from_config(settings.permission, written.source, written.lines),
        )
    except SettingsError as error:
        raise WrongDefinition(f"{error} (the agent `{written.name}`)") from error


def _new(definition: Definition) -> Agent:
    """Return an agent of the user's own with nothing set, which works as build does, for the user and for other
    agents."""
    build = builtin_agents()[0]
    return Agent(
        definition.written.name,
        "One of your own agents.",
        build.prompt,
        build.short_prompt,
        mode="all",
        source=definition.written.source,
    )


def _written(
    settings: Settings, directories: Sequence[Directory], vouches: Vouches, problems: list[str]
) -> Iterator[Written]:
    """Yield all definitions of agents, the strongest last; a file which cannot be read is added to the problems."""
    for directory in directories:
        for name, file in find_agent_files(directory):
            try:
                written = read_agent_file(name, file, vouches, directory)
            except AgentFileError as error:
                problems.append(str(error))
                continue
            if written is not None:
                yield written
    for source in settings.written_agents:
        for name, fields in source.agents.items():
            path = ("agent", name)
            lines = {keys[2:]: line for keys, line in source.lines.items() if keys[:2] == path}
            yield Written(name, fields, source.source, lines)


def _default(name: str | None, agents: Sequence[Agent], problems: list[str]) -> str | None:
    if name is None or any(agent.name == name and agent.takes_prompts for agent in agents):
        return name
    names = ", ".join(agent.name for agent in agents if agent.takes_prompts)
    problems.append(f"setting `defaultAgent`: no agent `{name}` takes prompts; agents: {names}")
    return None


def _place(written: Written, *path: str) -> str:
    """Return the source, the agent, and the line of the key to which the path leads, as near as the line is known."""
    known_path = next((path[:count] for count in range(len(path), -1, -1) if path[:count] in written.lines), None)
    line = "" if known_path is None else f":{written.lines[known_path]}"
    return f"{written.source}{line}: the agent `{written.name}`"
