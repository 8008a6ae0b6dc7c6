"""What the sessions are prompted to do, what of it must be done by now, and what must stand on the screen."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Json = dict[str, Any]
Kind = Literal["write", "bash", "contained", "question"]
State = Literal["waiting", "done", "refused", "dropped"]

SPARE_ANSWERS = 12


@dataclass
class Deed:
    """One call that is asked for. All kinds but `question` make a file of the deed's name.

    `bash` is asked before the command runs, `contained` after, as the change that the command proposes.
    """

    name: str
    kind: Kind
    state: State = "waiting"

    def event(self) -> Json:
        match self.kind:
            case "write":
                return _call("write", filePath=self.name, content="done\n")
            case "bash":
                return _call("bash", command=f"touch {self.name}", description="touch a file")
            case "contained":
                return _call("bash", command=f"cp /dev/null {self.name}", description="make a file")
            case "question":
                return _call("question", questions=[{"question": f"Shall {self.name} be?", "header": self.name}])


@dataclass
class Lane:
    """Calls that are made one after another by one agent: the session's own, or a subagent."""

    deeds: list[Deed]
    session_id: str = ""
    """Whose asks they are; of a subagent's known with its first."""

    @property
    def head(self) -> Deed | None:
        return next((deed for deed in self.deeds if deed.state == "waiting"), None)

    def drop(self) -> None:
        for deed in self.deeds:
            if deed.state == "waiting":
                deed.state = "dropped"


@dataclass
class Turn:
    """A prompt and its lanes: one of its own, or those of subagents side by side."""

    session_id: str
    lanes: list[Lane]
    by_subagents: bool
    request: int = 0
    stop_reason: str = ""
    """Empty while it must still run."""

    def settle(self) -> None:
        if not self.stop_reason and all(lane.head is None for lane in self.lanes):
            self.stop_reason = "end_turn"

    def reject(self, lane: Lane) -> None:
        """A no without a word ends the agent's own turn."""
        lane.drop()
        if not self.by_subagents:
            self.stop_reason = "rejected"

    def cancel(self) -> None:
        for lane in self.lanes:
            lane.drop()
        self.stop_reason = "cancelled"


@dataclass
class Work:
    """All turns, and what was granted for always."""

    turns: list[Turn] = field(default_factory=list)
    granted: set[str] = field(default_factory=set)
    """Sessions in which `touch` was."""
    is_granted_to_all: bool = False
    has_failed: bool = False
    """What came after is of no interest."""

    @property
    def running(self) -> list[Turn]:
        return [turn for turn in self.turns if not turn.stop_reason]

    def waiting(self) -> Iterator[tuple[Turn, Lane, Deed]]:
        """What must be asked now."""
        for turn in self.running:
            for lane in turn.lanes:
                if lane.head is not None:
                    yield turn, lane, lane.head

    def begin(self, turn: Turn) -> None:
        self.turns.append(turn)
        self.pass_granted()

    def pass_granted(self) -> None:
        """Commands that need not be asked for any more are run as their turn comes, until one that does."""
        for turn in self.running:
            for lane in turn.lanes:
                while (deed := lane.head) is not None and deed.kind == "bash" and self._may_run(turn, lane, deed):
                    deed.state = "done"
            turn.settle()

    def _may_run(self, turn: Turn, lane: Lane, deed: Deed) -> bool:
        if deed in self._asked:
            # It stands on the screen: only what is granted in its own session takes it off.
            return lane.session_id in self.granted
        return self.is_granted_to_all or lane.session_id in self.granted

    _asked: list[Deed] = field(default_factory=list)

    def was_asked(self, lane: Lane, deed: Deed, session_id: str) -> None:
        lane.session_id = session_id
        if deed not in self._asked:
            self._asked.append(deed)

    def expected_files(self) -> set[str]:
        deeds = (deed for turn in self.turns for lane in turn.lanes for deed in lane.deeds)
        return {deed.name for deed in deeds if deed.state == "done" and deed.kind != "question"}


def write_script(file: Path, lanes: Sequence[Lane], *, by_subagents: bool) -> str:
    """A model that makes the calls of the lanes, whichever subagent asks first; its name."""
    answers = [[deed.event() for deed in lane.deeds] for lane in lanes]
    if by_subagents:
        # Each another, or it would be taken for a loop.
        prompts = [f"Do part {number}." for number in range(len(lanes))]
        tasks = [_call("task", description="a part", prompt=prompt, subagent_type="general") for prompt in prompts]
        answers.insert(0, tasks)
    answers += [[{"text": "Done."}]] * SPARE_ANSWERS
    file.write_text(json.dumps({"turns": [{"events": events} for events in answers]}), "utf-8")
    return f"scripted/{file}"


def _call(tool: str, **arguments: Any) -> Json:
    return {"call": tool, "arguments": arguments}
