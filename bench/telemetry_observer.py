"""`python -m bench.telemetry_observer ADDRESS`: print the CPU milliseconds of telemetry for a step, as JSON.

`loop`: on the thread of the event loop, which the step waits for. `process`: of all threads, export included.
`wire_loop` and `wire_process`: with the span of a request to the model host.
"""

import asyncio
import gc
import json
import sys
import time
from collections.abc import Sequence

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
from placet.core.spans import span
from placet.settings.telemetry import TelemetrySettings
from placet.telemetry.telemetry import Telemetry, open_telemetry

STEPS = 2000
ANSWER = 9
"""Number of the events of a step which the answer of the model makes."""


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


def observed(telemetry: Telemetry, updates: Sequence[events.SessionEvent], *, over_the_wire: bool) -> None:
    """Tell the telemetry a step; over the wire the answer comes from the model host."""
    emit = telemetry.spans.emit
    if not over_the_wire:
        for event in updates:
            emit(event)
        return
    emit(updates[0])
    with span("model_host.request", model="any"):
        for event in updates[1:ANSWER]:
            emit(event)
    for event in updates[ANSWER:]:
        emit(event)


async def measured(address: str, *, over_the_wire: bool) -> tuple[float, float]:
    """Return the CPU milliseconds of a step: on this thread, and of the process."""
    telemetry = open_telemetry(TelemetrySettings(endpoint=address), {})
    prompt = UserMessage(model="openai/any")
    told = [events.UserMessageAdded(message=prompt), events.TurnStarted(turn_id=prompt.id)]
    for update in told:
        telemetry.spans.emit(events.SessionEvent(session_id="ses_1", seq=1, update=update))
    steps = [
        [events.SessionEvent(session_id="ses_1", seq=1, update=update) for update in step(prompt)] for _ in range(STEPS)
    ]
    gc.collect()
    gc.freeze()  # The events of a real session do not all live at once.
    on_loop, began = 0.0, time.process_time()
    for number, updates in enumerate(steps):
        entered = time.thread_time()
        observed(telemetry, updates, over_the_wire=over_the_wire)
        on_loop += time.thread_time() - entered
        if number % 100 == 0:
            await asyncio.sleep(0.05)  # Time for the exporter, whose queue is bounded.
    await telemetry.close()
    return on_loop / STEPS * 1000, (time.process_time() - began) / STEPS * 1000


async def main(address: str) -> None:
    loop, process = await measured(address, over_the_wire=False)
    wire_loop, wire_process = await measured(address, over_the_wire=True)
    print(json.dumps({"loop": loop, "process": process, "wire_loop": wire_loop, "wire_process": wire_process}))


asyncio.run(main(sys.argv[1]))
