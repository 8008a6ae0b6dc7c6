"""`agent/agents`, `agent/commands` and `agent/tools`: the choices that Placet offers beside models."""

from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.catalog_messages import (
    AgentInfo,
    AgentList,
    CommandInfo,
    CommandList,
    ListAgents,
    ListCommands,
    ListTools,
    ToolInfo,
    ToolList,
)
from placet.tools.framework import registry
from placet.tools.framework.define import AgentView


@request("agent/agents")
async def list_agents(context: HandlerContext, params: ListAgents) -> AgentList:
    catalog = context.sessions.agents
    agents = (
        AgentInfo(
            name=agent.name,
            description=agent.description,
            mode=agent.mode,
            model=agent.model,
            source=agent.source,
        )
        for agent in catalog.visible
    )
    return AgentList(agents=tuple(agents), default=catalog.default.name, problems=catalog.problems)


@request("agent/commands")
async def list_commands(context: HandlerContext, params: ListCommands) -> CommandList:
    listed, problems = context.sessions.commands()
    commands = tuple(CommandInfo.model_validate(command.dump()) for command in listed)
    return CommandList(commands=commands, problems=problems)


@request("agent/tools")
async def list_tools(context: HandlerContext, params: ListTools) -> ToolList:
    """List the tools of the default agent, each with the reason for which the agent is not offered the tool."""
    sessions = context.sessions
    agent = AgentView(sessions.agents.default.name, settings=sessions.settings)
    shown = [tool for tool in await sessions.extensions.tools() if not tool.hidden]
    listed = await registry.list_tools(agent, lambda _: False, shown)
    tools = (
        ToolInfo(id=tool.id, description=tool.description, source=tool.source, reason=tool.reason) for tool in listed
    )
    return ToolList(tools=tuple(tools))
