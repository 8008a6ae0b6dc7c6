"""`python -m bench.telemetry_observer ADDRESS`: print the CPU milliseconds of telemetry for a step, export included."""

import asyncio
import sys
import time

from placet.core import events
from placet.core.messages import (
    AssistantMessage,
    Tokens,
    ToolCompleted,
    ToolPart,
    ToolPending,
    ToolRunning,
    UserMessage,
)
from placet.settings.telemetry import TelemetrySettings
from placet.telemetry.telemetry import open_telemetry

STEPS = 2000


def step(prompt: UserMessage) -> list[events.Update]:
    """The events of a step: an answer of five pieces with one call, and the call."""
    answer = AssistantMessage(parent_id=prompt.id, model="openai/any")
    pending = ToolPart(call_id="call_1", tool="read", state=ToolPending())
    arguments = {"filePath": "a.txt", "offset": 1, "limit": 10}
    running = pending.model_copy(update={"state": ToolRunning(input=arguments, start=1)})
    ended = ToolCompleted(input=arguments, title="a.txt", output="line\n" * 10, start=1, end=2)
    message_id = answer.id
    return [
        events.AgentMessageChanged(message=answer),
        *(
            events.AgentMessageChunk(message_id=message_id, part_id="p", offset=piece * 2, text="ab")
            for piece in range(5)
        ),
        events.ToolCall(message_id=message_id, part=pending),
        events.UsageUpdate(message_id=message_id, tokens=Tokens(input=100, output=10), cost=0.01),
        events.AgentMessageChanged(message=answer.model_copy(update={"completed": 2, "finish": "tool_calls"})),
        events.ToolCallUpdate(message_id=message_id, part=running),
        events.ToolCallUpdate(message_id=message_id, part=pending.model_copy(update={"state": ended})),
    ]


async def main(address: str) -> None:
    telemetry = open_telemetry(TelemetrySettings(endpoint=address), {})
    prompt = UserMessage(model="openai/any")
    told = [events.UserMessageAdded(message=prompt), events.TurnStarted(turn_id=prompt.id)]
    for update in told:
        telemetry.spans.emit(events.SessionEvent(session_id="ses_1", seq=1, update=update))
    steps = [
        [events.SessionEvent(session_id="ses_1", seq=1, update=update) for update in step(prompt)] for _ in range(STEPS)
    ]
    began = time.process_time()
    for number, updates in enumerate(steps):
        for event in updates:
            telemetry.spans.emit(event)
        if number % 100 == 0:
            await asyncio.sleep(0.05)  # Time for the exporter, whose queue is bounded.
    await telemetry.close()
    print((time.process_time() - began) / STEPS * 1000)


asyncio.run(main(sys.argv[1]))
