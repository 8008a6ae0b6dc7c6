"""A model behind OpenAI's wire for the true daemon, played from a test that is not asynchronous."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

from neovim_support.threaded_server import ThreadedServer
from time_support import wait_seconds
from wire_servers.answers import Answer, Step, Text, Usage, Wait
from wire_servers.server import RecordedRequest, WireServer

READ = Usage(input=8_000)
"""About as many tokens as the requests have: of fewer the chat would say that the server has cut the request."""


class WireModel(ThreadedServer):
    """Answers each request of a turn by the next of its answers; a request without tools is for a title."""

    def __init__(self, answers: list[Answer]) -> None:
        self._answers = iter(answers)
        self._wire = WireServer(self._answer)
        super().__init__(self._wire)
        self._asked = threading.Condition()
        self.requests: list[RecordedRequest] = []

    def _answer(self, request: RecordedRequest) -> Answer:
        if not request.body.get("tools"):
            return (Text("A title"),)
        with self._asked:
            self.requests.append(request)
            self._asked.notify_all()
        answer = next(self._answers, (Text("That was all."),))
        return answer if any(isinstance(step, Usage) for step in answer) else (*answer, READ)

    @property
    def base(self) -> str:
        return self._wire.openai_base

    def wait_for_request(self, count: int) -> RecordedRequest:
        """The turns' request of that number, from 1, once it has come."""
        with self._asked:
            came = self._asked.wait_for(lambda: len(self.requests) >= count, wait_seconds())
            said = [request.messages[-1] for request in self.requests]
            assert came, f"request {count} never came, but {said}"
        return self.requests[count - 1]

    def told(self, count: int) -> str:
        """What that request says of the last tool's call."""
        message = self.wait_for_request(count).messages[-1]
        assert message["role"] == "tool", message
        return str(message["content"])

    def wait_until_given_up(self, request: RecordedRequest) -> None:
        """Until the daemon has left before the answer's end."""
        self.run(asyncio.wait_for(request.disconnected.wait(), wait_seconds()))

    def go_on(self, wait: Wait) -> None:
        """Have the answer go on behind the step."""
        assert wait.event is not None
        self.loop.call_soon_threadsafe(wait.event.set)


@contextmanager
def wire_model(*answers: Answer | Step) -> Generator[WireModel]:
    """A server on this machine, stopped at the end; an answer of one step needs no tuple."""
    model = WireModel([answer if isinstance(answer, tuple) else (answer,) for answer in answers])
    model.start()
    try:
        yield model
    finally:
        model.stop()
