"""Turns of a session: the queue, the resources, the contexts of tool calls, the recorder, subagents."""
