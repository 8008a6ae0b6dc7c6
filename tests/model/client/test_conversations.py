"""What the daemon leaves out of a request is what the host still has."""

from hypothesis import given
from hypothesis import strategies as st

from model_support.asking import READ, assistant, completed, user
from model_support.chat import chat_messages
from placet.core.messages import Message
from placet.model import frames
from placet.model.base import ModelRequest
from placet.model.client.conversations import Conversations
from placet.model.host import conversations as hosts


class Host:
    """The host's memory behind its pipe."""

    def __init__(self) -> None:
        self.memory = hosts.Conversations()
        self.forgotten: list[int] = []

    def send(self, order: frames.Forget) -> None:
        self.forgotten.append(order.conversation)
        self.memory.forget(order.conversation)


def asked(*messages: Message, session_id: str = "ses_1", system: str = "You are.") -> ModelRequest:
    return ModelRequest((system,), messages, (READ,), session_id)


def told(conversations: Conversations, host: Host, request: ModelRequest) -> frames.Ask:
    ask = conversations.tell(request, frames.Ask(1, "m", []), host)
    heard = [message.message() for message in host.memory.go_on(ask).messages]
    assert heard == chat_messages(request.system, request.messages, model="m")
    return ask


def step(number: int) -> list[Message]:
    return [assistant(f"step {number}", completed("read", {"n": number}, "text", call_id=f"call_{number}"))]


def test_a_step_tells_only_what_is_new():
    conversations, host = Conversations(), Host()
    history: list[Message] = [user("hi")]

    lengths = []
    for number in range(4):
        lengths.append(len(told(conversations, host, asked(*history)).messages))
        history += step(number)

    assert lengths == [2, 2, 2, 2]


def test_a_new_host_is_told_everything():
    conversations = Conversations()
    history = [user("hi"), *step(1)]
    told(conversations, Host(), asked(*history))

    assert len(told(conversations, Host(), asked(*history)).messages) == 4


def test_what_comes_after_a_change_is_told_again():
    conversations, host = Conversations(), Host()
    history = [user("hi"), *step(1), *step(2)]
    told(conversations, host, asked(*history))

    ask = told(conversations, host, asked(history[0], *step(3), history[2]))

    assert (ask.kept, len(ask.messages)) == (2, 4)


def test_another_system_prompt_is_another_conversation():
    conversations, host, prompt = Conversations(), Host(), user("hi")
    told(conversations, host, asked(prompt))

    told(conversations, host, asked(prompt, system="Find a title."))
    ask = told(conversations, host, asked(prompt, user("more")))

    assert len(ask.messages) == 1


def test_the_host_forgets_with_the_daemon():
    conversations, host = Conversations(), Host()
    for number in range(12):
        told(conversations, host, asked(user("hi"), session_id=f"ses_{number}"))

    assert len(host.forgotten) == 4
    assert len(told(conversations, host, asked(user("hi"), session_id="ses_0")).messages) == 2


sessions = st.sampled_from([f"ses_{number}" for number in range(10)])
moves = st.tuples(sessions, st.sampled_from(["grow", "replace", "cut", "restart"]), st.integers(0, 5))


@given(st.lists(moves, max_size=40))
def test_the_host_hears_every_conversation_whole(steps: list[tuple[str, str, int]]):
    conversations, host = Conversations(), Host()
    histories: dict[str, list[Message]] = {}
    for count, (session_id, move, number) in enumerate(steps):
        history = histories.setdefault(session_id, [user("hi")])
        match move:
            case "grow":
                history += step(count)
            case "replace":
                history[min(number, len(history) - 1)] = user(f"word {count}")
            case "cut":
                del history[1 + number :]
            case _:
                host = Host()
        told(conversations, host, asked(*history, session_id=session_id))
