"""Faults of the model's wire in a turn, with the end of the turn that docs/MODEL-FAULTS.md promises for each."""

from dataclasses import dataclass

from placet.core.messages import StopReason
from wire_servers.answers import Answer, Bytes, Call, Drop, Finish, Status, Text, Truncate, Wait

WAIT_SECONDS = 0.05
PATIENT = {"firstByteTimeoutSeconds": 60.0, "idleTimeoutSeconds": 60.0}
"""Where the model is not silent, however slow the machine is."""
DONE: Answer = (Text("All is well."),)
HALF = Text("half", pieces=1)
READ = Call("read", {"filePath": "a.txt"})
EMPTY: Answer = (Finish("stop"),)
CUT_OFF: Answer = (Call("read", '{"file'), Finish("length"))
CHUNK = "100 identical chunks. "


@dataclass(frozen=True)
class Case:
    what: str
    answers: tuple[Answer, ...]
    stop: StopReason
    code: str = ""
    requests: int = 1
    """Made of the provider in all, for the turn."""
    retries: int = 0
    """Shown to the user."""
    wait: float = WAIT_SECONDS
    impatient: str = ""
    """Which silence is a fault here."""

    @property
    def cuts_arguments(self) -> bool:
        """True if the arguments of a call are no whole object."""
        calls = (step for answer in self.answers for step in answer if isinstance(step, Call))
        return any(isinstance(call.arguments, str) for call in calls)


MANY = 4
"""How often a call is made that may be made again."""

CASES = [
    Case("401", ((Status(401, "no such key"),),), "error", "authentication"),
    Case("429 with no word of when", ((Status(429, "slow down"),),) * MANY, "error", "rate_limit", MANY, MANY - 1),
    Case(
        "429, and then an answer",
        ((Status(429, "slow down", headers={"retry-after-ms": "10"}),), DONE),
        "end_turn",
        "",
        2,
        1,
    ),
    Case("429 that asks for an hour", ((Status(429, "slow down", retry_after=3600),),), "error", "rate_limit"),
    Case("429, and nothing is tried again", ((Status(429, "slow down"),),), "error", "rate_limit", wait=0),
    Case("500", ((Status(500, "boom"),),) * MANY, "error", "server_error", MANY, MANY - 1),
    Case("500, and then an answer", ((Status(500, "boom"),), DONE), "end_turn", "", 2, 1),
    Case("a reset in the answer", ((HALF, Drop()),), "error", "interrupted"),
    Case("a stall in the answer", ((HALF, Wait()),), "error", "timeout", impatient="idleTimeoutSeconds"),
    Case(
        "a stall before the answer",
        ((Wait(),),) * MANY,
        "error",
        "timeout",
        MANY,
        MANY - 1,
        impatient="firstByteTimeoutSeconds",
    ),
    Case("half a tool call, and the end of the stream", ((READ, Truncate()),), "error", "interrupted"),
    Case("half a tool call, and a reset", ((READ, Drop()),), "error", "interrupted"),
    Case("something else than events", ((HALF, Bytes(b"data: <html>\n\n")),), "error", "server_error"),
    Case("arguments that are not JSON", ((Call("read", '{"filePath": '),), DONE), "end_turn", "", 2),
    Case(
        "a call cut off by the greatest length", ((Call("read", '{"file'), Finish("length")), DONE), "end_turn", "", 2
    ),
    Case("a call cut off twice", ((Call("read", '{"file'), Finish("length")),) * 2, "error", "cut_off", 2),
    Case("a reset before the answer", ((Drop(),),), "error", "interrupted"),
    Case("an empty answer", (EMPTY, EMPTY), "error", "empty_answer", 2, 1),
    Case("an empty answer, and then one", (EMPTY, DONE), "end_turn", "", 2, 1),
    Case("a conversation that is too long", ((Status(413, "too big"),),), "error", "context_overflow"),
    Case("100 identical chunks", ((Text(CHUNK * 100, pieces=100),),), "end_turn"),
    Case("identical chunks without an end", ((Text(CHUNK * 20_000, pieces=2_000),),), "error", "repetition"),
    Case("a ruler without an end", ((Text("-" * 20_000, pieces=5_000),),), "end_turn"),
]
