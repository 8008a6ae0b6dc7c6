"""Print events as JSON lines for a program, and go quiet when the reader of the output has gone."""

import sys
from typing import TextIO

from placet.core.events import SessionEvent
from placet.core.messages import JsonObject
from placet.core.visible_text import json_text


class JsonPrinter:
    """EventSink; prints each event as a line of JSON."""

    def __init__(self, stream: TextIO = sys.stdout) -> None:
        self._stream = stream

    def emit(self, event: SessionEvent) -> None:
        self.line(event.dump())

    def line(self, content: JsonObject) -> None:
        self._stream.write(json_text(content) + "\n")
        self._stream.flush()
