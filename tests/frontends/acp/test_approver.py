"""The approver, with a client that is no process."""

import asyncio
from pathlib import Path

import pytest

from placet.core.errors import NobodyToAsk
from placet.core.ports import Question, QuestionOption
from placet.frontends.acp.client_session import ClientSession
from placet.frontends.acp.connection.client import ClientGone
from placet.frontends.acp.connection.update_queue import UpdateQueue
from placet.frontends.acp.ports.approver import AcpApprover
from placet.frontends.acp.updates.conversation import Conversation

CHOICE = Question("Colour", "Which?", (QuestionOption("Red"), QuestionOption("Blue")))


class Client:
    """The other end: notes the messages, and answers requests with the first option."""

    def __init__(self, *, is_gone=False):
        self.sent = []
        self._is_gone = is_gone

    def notify(self, method, params):
        self.sent.append((method, params))

    async def request(self, method, params, timeout_seconds):
        self.sent.append((method, params))
        if self._is_gone:
            raise ClientGone("gone")
        return {"outcome": {"outcome": "selected", "optionId": params.options[0].option_id}}


def approver_of(client):
    updates = UpdateQueue(client, lambda: True)
    session = ClientSession("ses_1", Conversation(Path("/project"), mode="build"), updates)
    return session, AcpApprover(client, lambda session_id: session if session_id == "ses_1" else None)


async def test_a_question_waits_until_the_client_knows_the_session():
    client = Client()
    session, approver = approver_of(client)
    asking = asyncio.create_task(approver.ask("ses_1", [CHOICE]))
    for _ in range(10):
        await asyncio.sleep(0)
    assert client.sent == []
    session.announced.set()
    assert await asking == [["Red"]]


async def test_nobody_can_be_asked_in_a_session_that_the_client_has_closed():
    _, approver = approver_of(Client())
    with pytest.raises(NobodyToAsk):
        await approver.ask("ses_2", [CHOICE])


async def test_a_client_that_is_gone_answers_nothing():
    session, approver = approver_of(Client(is_gone=True))
    session.announced.set()
    with pytest.raises(NobodyToAsk):
        await approver.ask("ses_1", [CHOICE])


@pytest.mark.parametrize(
    "question",
    [
        Question("Words", "Say?", ()),
        Question("Many", "Which?", CHOICE.options, multiple=True),
        Question("Key", "Which?", CHOICE.options, secret=True),
    ],
)
async def test_a_question_that_needs_a_form_is_not_put(question):
    client = Client()
    session, approver = approver_of(client)
    session.announced.set()
    with pytest.raises(NobodyToAsk):
        await approver.ask("ses_1", [CHOICE, question])
    assert client.sent == []
