"""Prompts behind a `/name`: the command's text beside the prompt, its agent and model for this turn."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from pydantic import TypeAdapter

from placet.agent.agents.agent import Agent
from placet.agent.commands.catalog import CommandCatalog, skill_of
from placet.agent.commands.template import MOST_SHELL_PARTS, ShellPart, call_in, filled, words_of
from placet.core.effort import Effort
from placet.core.errors import NobodyToAsk, Rejected, RequestError, ToolError
from placet.core.events import AvailableCommand
from placet.core.ids import new_id
from placet.core.messages import DEFERRED, FilePart, JsonObject, Part, PromptPart, TextPart, UserMessage
from placet.extensions.commands import Command
from placet.extensions.mcp.session_servers import SessionServers
from placet.extensions.plugins.hooks import Hooks
from placet.permissions.rules import BUILT_IN, Rule, evaluate
from placet.sessions.services.services import Services
from placet.sessions.turns.ruleset import ruleset
from placet.sessions.turns.tool_contexts import ToolContextFactory
from placet.tools.framework.define import ReadyTool

_FALLBACK = "general"
_PARTS: TypeAdapter[list[PromptPart]] = TypeAdapter(list[PromptPart], config=DEFERRED)


class CalledCommand(Struct, frozen=True):
    """A command called by a prompt."""

    command: Command
    arguments: str
    agent: Agent
    """The agent of the turn."""
    subagent: str | None = None
    """The subagent for the command, instead of the turn's agent."""

    @property
    def model(self) -> str | None:
        """Return the model of this turn, or None for the session's model."""
        if self.command.model is not None or self.subagent is not None:
            return self.command.model
        return self.agent.model if self.command.agent is not None else None

    @property
    def subtask_effort(self) -> Effort | None:
        """Return the effort for the subagent that carries the command out; None without either."""
        return self.command.effort if self.subagent is not None else None


class CommandParts(Struct, frozen=True):
    """Text of a command for its arguments."""

    parts: tuple[PromptPart, ...]
    mentions: str = ""
    """The text with valid `@` references: the template's own and the user's arguments, without output of a shell."""
    task: JsonObject | None = None
    """The arguments of the call of `task` with which the turn begins."""


def commands_of(services: Services, servers: SessionServers | None = None) -> CommandCatalog:
    """Return all commands available now, with the prompts of a session's `servers` or of the settings' servers.

    Skills are available only if the default agent may load skills.
    """
    catalog = services.current.commands.with_others(services.extensions.commands(servers))
    if not any(skill_of(command) for command in catalog.all):
        return catalog
    rules = ruleset(services.agents.default, services.rules, services.settings, services.locations)
    return CommandCatalog(
        (command for command in catalog.all if not _is_denied(command, rules)),
        problems=catalog.problems,
    )


def available_commands(services: Services, servers: SessionServers | None = None) -> tuple[AvailableCommand, ...]:
    """Return the commands as the user sees the commands in a list."""
    return tuple(
        AvailableCommand(
            name=command.name,
            description=command.description,
            argument_hint=command.argument_hint or None,
            source=command.source,
        )
        for command in commands_of(services, servers).all
    )


def calls_command(parts: Sequence[Part], services: Services, servers: SessionServers) -> bool:
    """Return whether a prompt of the user begins with an existing command; `servers` are the session's."""
    return _command_call(parts, services, servers) is not None


def called_command(
    parts: Sequence[Part], agent: Agent, services: Services, servers: SessionServers
) -> CalledCommand | None:
    """Return the command at the prompt's start and its agent, or None if no command has this name.

    `agent` and `servers` are the session's. Raises RequestError for a command with an unknown agent.
    """
    if (call := _command_call(parts, services, servers)) is None:
        return None
    command, arguments = call
    catalog = services.agents
    if command.agent is None or (command.source == BUILT_IN and command.agent not in catalog.subagents):
        named = None
    else:
        try:
            named = catalog.find(command.agent)
        except RequestError as error:
            raise RequestError(f"/{command.name} ({command.source}): {error}") from error
    is_subtask = command.subtask if command.subtask is not None else named is not None and named.mode == "subagent"
    if is_subtask:
        subagent = named.name if named is not None and named.takes_tasks else _FALLBACK
        if subagent in catalog.subagents:
            return CalledCommand(command, arguments, agent, subagent)
    return CalledCommand(command, arguments, named or agent)


async def parts_of_command(
    called: CalledCommand,
    user: UserMessage,
    contexts: ToolContextFactory,
    tools: Mapping[str, ReadyTool],
    services: Services,
) -> CommandParts:
    """Return the parts for the model beside the user's prompt. The command's shell parts run by the tool `bash`.

    Raises Rejected when the user rejects a shell part, NobodyToAsk, and RequestError.
    """
    command = called.command
    if (name := skill_of(command)) is not None and contexts.judge("skill", name) == "deny":
        raise RequestError(f"The permission rules deny the skill `{name}` to the agent `{called.agent.name}`.")
    if command.parts is not None:
        mentions = ""
        given = await command.parts(words_of(called.arguments), contexts.outputs.directory)
        parts: list[PromptPart] = [_as_given(part) for part in given]
    else:
        text, mentions = await _made(called, user, contexts, tools)
        parts = [TextPart(text=text, synthetic=True)]
    parts = await _after_plugins(called, contexts.session_id, parts, services.extensions.hooks)
    if called.subagent is None or "task" not in tools:
        opening = TextPart(text=f"The user called the command `/{command.name}`, which says:", synthetic=True)
        # Stored parts are read in the order of their ids.
        return CommandParts((opening, *(part.model_copy(update={"id": new_id("prt")}) for part in parts)), mentions)
    prompt = "\n\n".join(part.text for part in parts if isinstance(part, TextPart))
    task = {"description": f"/{command.name}", "prompt": prompt, "subagent_type": called.subagent}
    instruction = (
        f"The user called the command `/{command.name}`. The subagent `{called.subagent}` carries it out, and its "
        "report is the result of the call that follows. Tell the user what it says; do not do the work again."
    )
    return CommandParts((TextPart(text=instruction, synthetic=True),), mentions, task)


def _command_call(parts: Sequence[Part], services: Services, servers: SessionServers) -> tuple[Command, str] | None:
    first = next((part for part in parts if isinstance(part, TextPart) and not part.synthetic), None)
    call = None if first is None else call_in(first.text)
    command = None if call is None else commands_of(services, servers).find(call.name)
    return None if command is None or call is None else (command, call.arguments)


async def _made(
    called: CalledCommand, user: UserMessage, contexts: ToolContextFactory, tools: Mapping[str, ReadyTool]
) -> tuple[str, str]:
    """Return the text of the template, and the text in which files may be mentioned."""
    text: list[str] = []
    mentions: list[str] = []
    ran = 0
    for piece in filled(called.command.template, called.arguments):
        if isinstance(piece, ShellPart):
            ran += 1
            output = await _output(piece, ran, called, user, contexts, tools)
            text.append(output)
        else:
            text.append(piece)
            mentions.append(piece)
    return "".join(text).strip(), " ".join(mentions)


async def _output(
    part: ShellPart,
    number: int,
    called: CalledCommand,
    user: UserMessage,
    contexts: ToolContextFactory,
    tools: Mapping[str, ReadyTool],
) -> str:
    """Run the shell part like a call of `bash`: asked for, denied, journaled and bounded. Raises Rejected."""
    if "bash" not in tools:
        return f"(`{part.line}` was not run: the agent `{called.agent.name}` has no shell.)"
    if number > MOST_SHELL_PARTS:
        return f"(`{part.line}` was not run: a command may have {MOST_SHELL_PARTS} shell parts.)"
    context = contexts.new_context(
        message_id=user.id, call_id=f"{user.id}_{number}", tool="bash", progress=lambda title=None, metadata=None: None
    )
    arguments = {"command": part.line, "description": f"/{called.command.name}: {part.line}"}
    try:
        result = await tools["bash"].execute(arguments, context)
    except Rejected as rejection:
        if not rejection.feedback:
            raise
        return f"(`{part.line}` was not run. The user rejected it and said: {rejection.feedback})"
    except NobodyToAsk:
        raise
    except ToolError as error:
        return f"(`{part.line}` was not run: {error})"
    if isinstance(result.refusal, NobodyToAsk) or (result.refusal is not None and not result.refusal.feedback):
        raise result.refusal
    return result.output


async def _after_plugins(
    called: CalledCommand, session_id: str, parts: list[PromptPart], hooks: Hooks
) -> list[PromptPart]:
    """Return the parts as the plugins of the hook `command.execute.before` change them."""
    if not hooks.has("command.execute.before"):
        return parts
    hook_input = {"command": called.command.name, "arguments": called.arguments, "sessionID": session_id}
    plain = _PARTS.dump_python(parts, mode="json", by_alias=True, exclude_none=True)
    output = await hooks.call(
        "command.execute.before",
        hook_input,
        {"parts": plain},
        check=lambda output: _PARTS.validate_python(output["parts"]),
    )
    return parts if output["parts"] == plain else list(map(_as_given, _PARTS.validate_python(output["parts"])))


def _as_given(part: PromptPart) -> PromptPart:
    """Return a part of another program as no word of the user's: without references, and with its content inside."""
    if isinstance(part, TextPart):
        return part.model_copy(update={"synthetic": True})
    if isinstance(part, FilePart) and part.uri.startswith("data:"):
        return part
    return TextPart(text=f"(Left out: a part of the kind `{part.type}`.)", synthetic=True)


def _is_denied(command: Command, rules: Sequence[Rule]) -> bool:
    name = skill_of(command)
    return name is not None and evaluate(rules, "skill", name).action == "deny"
