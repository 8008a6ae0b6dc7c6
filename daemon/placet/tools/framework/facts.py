"""Facts about a built-in tool, which stand in the tool's own file and are needed before the file is imported."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal

from msgspec import Struct

from placet.core.messages import JsonObject
from placet.settings import Action
from placet.tools.framework.define import AgentView

Kind = Literal["read", "edit", "search", "fetch", "execute", "think", "switch_mode", "other"]
"""Kinds of tools, with the names of the Agent Client Protocol."""


class Need(Struct, frozen=True):
    """Flag, key or file without which an agent lacks a tool."""

    of: str
    """Name of the value, seen from the AgentView, such as `settings.experimental.plan_mode`; None and False lack."""
    remedy: str
    """Sentence for the user: how to supply the value."""


class ToolFacts(Struct, frozen=True, omit_defaults=True):
    """Facts about a tool, declared as `FACTS` in the tool's file; `make docs` collects the facts of all tools."""

    name: str
    order: int
    """Place in the list of all tools, ascending."""
    kind: Kind = "other"
    rule: Action | None = None
    """Default rule for the permission with the tool's name; without a rule, each ask of the permission is asked."""
    permission: str = ""
    """Permission whose rules also decide whether an agent has the tool; empty for the tool's own name."""
    aliases: tuple[str, ...] = ()
    """Further names by which settings and models may mean the tool."""
    needs: tuple[Need, ...] = ()
    writes: str = ""
    """Path that the tool writes: an agent whose rules deny `edit` of the path lacks the tool."""
    for_subagents: bool = True
    """Whether a subagent has the tool unless the rules of the subagent name the tool."""
    for_patch_models: bool = True
    """Whether a model that was trained on patches has the tool."""
    reads_web: bool = False
    """Whether the tool only reads the web, so that a session that asks less does not ask for the tool."""
    hidden: bool = False
    verb: str = ""
    """Word before the path in the title of a call, such as `Read`; for tools whose subject is a path."""
    is_prose: bool = False
    """Whether the output is prose and no code."""
    has_own_view: bool = False
    """Whether a chat shows a call by a view of its own, such as the list of things to do, instead of the output."""
    describe: str = ""
    """Reference to the function that describes the tool to an agent; empty for the text of the tool."""
    leave_out: str = ""
    """Reference to the function that returns the arguments which an agent does not have; empty for no such argument."""


class BuiltinSpec(ToolFacts, frozen=True, omit_defaults=True, kw_only=True):
    """Facts about a tool with everything else that a request needs, as generated into specs.json."""

    module: str
    concurrent: bool = False
    """Whether calls of the tool may run side by side."""
    schema: JsonObject


def reference(function: Callable[..., Any]) -> str:
    """Return the reference to a function of a module, for `describe` and `leave_out`.

    A request imports the module of the function: the function of a tool with heavy imports stands in a module apart.
    """
    return f"{function.__module__}:{function.__qualname__}"


def lacks(facts: ToolFacts, agent: AgentView) -> str:
    """Return what the agent lacks for the tool, and the remedy; empty when nothing is missing."""
    if not facts.for_patch_models and edits_by_patch(agent.model):
        return f"The model {agent.model} edits by apply_patch."
    for need in facts.needs:
        value = attrgetter(need.of)(agent)
        if value is None or value is False:
            return need.remedy
    if facts.writes and agent.judge("edit", facts.writes) == "deny":
        return f"The permission rules of the agent `{agent.name}` deny `edit` of {facts.writes}."
    return ""


def edits_by_patch(model: str) -> bool:
    """Return whether the model was trained to change files by patches, and by no other tool."""
    return "gpt-" in model and "oss" not in model and "gpt-4" not in model
