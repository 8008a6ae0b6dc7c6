"""What a victim had noted when it died."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from placet.core.events import SessionEvent
from placet.core.messages import Part
from placet.core.transcript import Transcript

_EVENT: TypeAdapter[SessionEvent] = TypeAdapter(SessionEvent)


@dataclass
class Record:
    phase: str = "opening"
    session_id: str | None = None
    is_over: bool = False
    reached: bool = False
    seen: list[SessionEvent] = field(default_factory=list)
    """What was on the screen."""
    kept: int = 0
    """How many of the first of them were stored."""
    turns: list[dict[str, Any]] = field(default_factory=list)

    def finished_parts(self) -> dict[str, dict[str, Part]]:
        """By session and id, the parts whose last change was stored, as the screen had them."""
        screens: dict[str, Transcript] = {}
        open_text: dict[str, str] = {}
        for event in self.seen[: self.kept]:
            screens.setdefault(event.session_id, Transcript()).apply(event.update)
        # Text that still grew is stored from time to time only.
        for event in self.seen[: self.kept]:
            if event.update.kind in ("agent_message_chunk", "agent_thought_chunk"):
                open_text[event.session_id] = event.update.part_id  # type: ignore[union-attr]
            elif event.update.kind != "usage_update":
                open_text.pop(event.session_id, None)
        return {
            session_id: {
                part.id: part
                for message in screen.messages
                for part in message.parts
                if part.id != open_text.get(session_id)
            }
            for session_id, screen in screens.items()
        }


def read_record(log: Path) -> Record:
    record = Record()
    queued: list[int] = []
    stored = 0
    for line in log.read_text("utf-8").splitlines():
        match json.loads(line):
            case {"phase": name}:
                record.phase = name
            case {"seen": event, "queued": number}:
                record.seen.append(_EVENT.validate_python(event))
                queued.append(number)
            case {"stored": number}:
                stored = max(stored, number)
            case {"session": session_id}:
                record.session_id = session_id
            case {"reached": _}:
                record.reached = True
            case {"over": True}:
                record.is_over = True
            case {"turn": _} as turn:
                record.turns.append(turn)
    record.kept = sum(number <= stored for number in queued)
    return record
