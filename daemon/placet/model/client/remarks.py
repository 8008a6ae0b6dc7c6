"""Notices of a hosted model about its tools and its effort. Pure."""

from placet.core.effort import Effort, named
from placet.model import base, frames


def written_remark(model: str) -> base.Remark:
    """Return the notice that the model writes calls as text."""
    message = f"{model} wrote a tool call as text. Placet read the call from the text, which is less reliable."
    return base.Remark("written_calls", message, "`modelOptions.tools` sets the form of tool calls.")


def prompted_remark(model: str) -> base.Remark:
    """Return the notice that the model is asked for calls as text."""
    message = f"{model} has no native tool calls. Placet asks for tool calls as text, which is less reliable."
    return base.Remark("prompted_tools", message, "`modelOptions.tools` sets the form of tool calls.")


def effort_remark(model: str, effort: Effort, chosen: Effort | None, facts: frames.ModelFacts) -> base.Remark:
    """Return the notice that the model does not have the effort; `chosen` is the effort that is asked for, if any."""
    if chosen is None:
        message = f"{model} has no levels of effort, so the effort {named(effort)} changes nothing."
        return base.Remark("effort_clamped", message, "Choose another model, or leave the effort unset.")
    message = f"{model} does not have the effort {named(effort)}. Placet asks for {named(chosen)}, which is nearest."
    return base.Remark("effort_clamped", message, f"The model has: {', '.join(facts.efforts or ())}.")
