"""The effort of a command whose work a subagent does."""

from pathlib import Path
from typing import Any

from placet.core.messages import TextPart
from placet.model.scripted import ScriptedModel
from services_support import TempServices

DONE: list[dict[str, Any]] = [{"text": "Done."}]


def task(agent: str) -> list[dict[str, Any]]:
    return [{"call": "task", "arguments": {"description": "d", "prompt": "p", "subagent_type": agent}}]


async def test_the_effort_of_a_command_counts_for_the_subagent_of_its_subtask_over_the_agents_own(
    tmp_path: Path,
) -> None:
    services = TempServices(tmp_path)
    model = services.script(DONE, DONE, DONE, DONE, task("own"), DONE, DONE, task("general"), DONE, DONE)
    agent = {"own": {"mode": "subagent", "effort": 512}}
    command = {
        "deep": {"template": "Think.", "agent": "own", "effort": "xhigh"},
        "plain": {"template": "Think.", "agent": "own"},
        "here": {"template": "Think.", "effort": "max"},
    }
    async with services.open(model, agent=agent, command=command) as sessions:
        session = await sessions.create()
        await session.choices.set_effort("low")
        for prompt in ("/deep", "/plain", "Please.", "/here"):
            await session.prompt([TextPart(text=prompt)])

        scripted = session.models[model]
        assert isinstance(scripted, ScriptedModel)
        asked = [request.effort for request in scripted.requests]
        assert asked == ["xhigh", "xhigh", 512, "low", "low", 512, "low", "max", "low", "max"]
