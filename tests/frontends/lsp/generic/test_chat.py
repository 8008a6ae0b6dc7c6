"""The chat document of an editor without our plugin, as it follows what happens."""

from pathlib import Path

from placet.core.events import AgentMessageChunk, SessionBack, SessionEvent, TurnEnded, Update, UserMessageAdded
from placet.core.messages import TextPart, UserMessage
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.generic.chat import GenericChat
from placet.project.files.disk import DiskDocuments


async def test_a_prompt_that_is_told_again_with_what_goes_with_it_stands_there_once(tmp_path: Path) -> None:
    chat = GenericChat(Profile(), BufferStore(), DiskDocuments(), tmp_path)
    chat.show("ses_1")
    prompt = UserMessage(parts=(TextPart(text="Look at @a.txt"),))
    told: tuple[Update, ...] = (
        UserMessageAdded(message=prompt),
        UserMessageAdded(
            message=prompt.model_copy(update={"parts": (*prompt.parts, TextPart(text="a.txt:", synthetic=True))})
        ),
        AgentMessageChunk(message_id="msg_1", part_id="prt_1", offset=0, text="I see."),
        TurnEnded(turn_id=prompt.id, stop_reason="end_turn"),
    )
    for seq, update in enumerate(told, 1):
        chat.emit(SessionEvent(session_id="ses_1", seq=seq, update=update))
    await chat.close()

    text = chat.file("ses_1").read_text()
    assert [text.count(one) for one in ("Look at @a.txt", "## Placet (", "I see.")] == [1, 1, 1]


async def test_turns_that_a_redo_of_going_back_tells_again_stand_there_once(tmp_path: Path) -> None:
    chat = GenericChat(Profile(), BufferStore(), DiskDocuments(), tmp_path)
    chat.show("ses_1")
    prompts = [UserMessage(parts=(TextPart(text=text),)) for text in ("One?", "Two?", "Three?")]

    def turn(number: int) -> list[Update]:
        prompt = prompts[number]
        chunk = AgentMessageChunk(message_id=f"m{number}", part_id=f"p{number}", offset=0, text=f"Answer {number}.")
        return [UserMessageAdded(message=prompt), chunk, TurnEnded(turn_id=prompt.id, stop_reason="end_turn")]

    back = SessionBack(message_id=prompts[0].id)
    for updates in (turn(0), turn(1), [back, SessionBack(), *turn(0), *turn(1)], turn(2)):
        for seq, update in enumerate(updates, 1):
            chat.emit(SessionEvent(session_id="ses_1", seq=seq, update=update))
        await chat.close()  # Everything is written.

    text = chat.file("ses_1").read_text()
    assert [text.count(word) for word in ("One?", "Answer 0.", "Two?", "Answer 1.", "Three?", "Answer 2.")] == [1] * 6
