import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.changes.journal.journal import Journal
from placet.core.errors import RequestError
from placet.core.ids import new_id
from placet.core.messages import (
    AgentPart,
    AssistantMessage,
    CompactionPart,
    DiagnosticsPart,
    FilePart,
    LineRange,
    Message,
    PatchPart,
    ReasoningPart,
    RetryPart,
    TextPart,
    Tokens,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    TurnError,
    UserMessage,
)
from placet.sessions.store.library import Library
from placet.sessions.store.records import SessionInfo
from placet.sessions.store.session_store import SessionStore
from placet.sessions.store.usage import UsageRecord
from placet.storage.database import Database
from services_support import TempServices

GO = [TextPart(text="Please go on.")]

# ---------------------------------------------------------------- transcripts

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
moments = st.integers(0, 2**41)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31), 2**31) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, json_values, max_size=3)
errors = st.builds(TurnError, code=texts, message=texts, hint=texts)
states = st.one_of(
    st.builds(
        ToolCompleted, input=objects, title=texts, output=texts, metadata=objects, start=moments, end=moments,
        attachments=st.just(()),
    ),
    st.builds(ToolFailed, input=objects, title=texts, error=texts, metadata=objects, start=moments, end=moments),
)  # fmt: skip
prompt_parts = st.one_of(
    st.builds(TextPart, text=texts, synthetic=st.booleans()),
    st.builds(FilePart, uri=texts, name=st.none() | texts, range=st.none() | st.just(LineRange(start=1, end=2))),
    st.builds(AgentPart, name=texts),
    st.builds(DiagnosticsPart, uri=st.none() | texts),
)
answer_parts = st.one_of(
    st.builds(TextPart, text=texts),
    st.builds(ReasoningPart, text=texts, signature=st.none() | texts, redacted=st.none() | texts),
    st.builds(ToolPart, callId=texts, tool=texts, state=states),
    st.builds(PatchPart, changeId=st.builds(new_id, st.just("chg")), uris=st.tuples(texts), reverted=st.booleans()),
    st.builds(RetryPart, attempt=st.integers(1, 9), error=errors),
    st.builds(CompactionPart, auto=st.booleans(), summary=texts),
)
tokens = st.builds(Tokens, input=st.integers(0, 10**6), output=st.integers(0, 10**6), cacheRead=st.integers(0, 10**6))
costs = st.integers(0, 1000).map(lambda cents: cents / 100)


@st.composite
def transcripts(draw: st.DrawFn) -> tuple[Message, ...]:
    """Turns with steps and steering, every id made in order, everything finished."""
    messages: list[Message] = []
    for _ in range(draw(st.integers(0, 3))):
        prompt = UserMessage(
            id=new_id("msg"),
            created=draw(moments),
            parts=tuple(draw(st.lists(prompt_parts, max_size=2))),
            stop_reason=draw(st.sampled_from(["end_turn", "cancelled", "error"])),
            error=draw(st.none() | errors),
        )
        messages.append(prompt)
        for _ in range(draw(st.integers(0, 3))):
            step = draw(st.booleans())
            messages.append(
                AssistantMessage(
                    id=new_id("msg"),
                    parent_id=prompt.id,
                    created=draw(moments),
                    completed=draw(moments),
                    finish=draw(st.none() | texts),
                    tokens=draw(tokens),
                    cost=draw(costs),
                    parts=tuple(draw(st.lists(answer_parts, max_size=3))),
                )
                if step
                else UserMessage(id=new_id("msg"), created=draw(moments), parts=(), steers=prompt.id)
            )
    # Parts are made when hypothesis likes; in a session, in order.
    return tuple(
        message.model_copy(
            update={"parts": tuple(part.model_copy(update={"id": new_id("prt")}) for part in message.parts)}
        )
        for message in messages
    )


calls = st.builds(
    UsageRecord, kind=st.sampled_from(["title", "compaction"]), model=texts, created=moments, tokens=tokens, cost=costs
)


def info(**changed: Any) -> SessionInfo:
    plain = {"id": new_id("ses"), "title": "Talk", "agent": "build", "model": "m", "base_model": "m"}
    return SessionInfo.model_validate({**plain, "roots": (), "created": 1, "updated": 1, **changed})


def without_ids_and_times(value: Any, ids: dict[str, str] | None = None) -> Any:
    """With ids numbered as they come, so that what names what is still seen."""
    ids = {} if ids is None else ids
    match value:
        case dict():
            return {
                key: "moment"
                if key in {"exported"} or (key in {"created", "updated"} and "roots" in value)
                else without_ids_and_times(one, ids)
                for key, one in value.items()
            }
        case list():
            return [without_ids_and_times(one, ids) for one in value]
        case str() if value[:4] in {"ses_", "msg_", "prt_", "chg_"}:
            return ids.setdefault(value, f"id {len(ids)}")
        case _:
            return value


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(messages=transcripts(), child=transcripts(), other=st.lists(calls, max_size=2), title=texts)
async def test_what_was_exported_and_imported_is_exported_the_same(messages, child, other, title):
    database = Database(None)
    store = SessionStore(database)
    library = Library(store, lambda: Journal(database), Path("kept"))
    parent = info(title=title)
    await store.add_copy(parent, messages, sorted(other, key=lambda call: call.created))
    await store.add_copy(info(parent_id=parent.id), child)
    exported = await library.export(parent.id, "json")

    imported = await library.import_(exported)
    again = await library.export(imported, "json")

    assert without_ids_and_times(json.loads(again)) == without_ids_and_times(json.loads(exported))
    assert imported != parent.id
    read = await store.read(imported)
    ids = [one for message in read.messages for one in (message.id, *(part.id for part in message.parts))]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & {message.id for message in messages}
    await library.export(imported, "markdown")
    await database.close()


# ---------------------------------------------------------------- real sessions


@pytest.fixture
def services(tmp_path):
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("old\n```\n")
    return services


def worked(services: TempServices) -> str:
    task = {"call": "task", "arguments": {"description": "look", "prompt": "Look.", "subagent_type": "explore"}}
    usage = {"usage": {"input": 10, "output": 5}, "cost": 0.25}
    return services.script(
        [{"thought": "Hm."}, {"text": "I read <it>."}, {"call": "read", "arguments": {"filePath": "a.txt"}}, usage],
        [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}],
        [task],
        [{"text": "Seen."}, usage],
        [{"text": "Done."}],
        [{"text": "And on."}],
    )


async def test_an_imported_session_is_a_new_one_that_can_be_continued(services):
    async with services.open(worked(services)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        text = await sessions.export(session.info.id, "json")
        imported = await sessions.import_(text)
        imported.models.update(session.models)
        result = await imported.prompt(GO)

        assert result.stop_reason == "end_turn"
        assert [one.role for one in imported.messages[: len(session.messages)]] == [
            one.role for one in session.messages
        ]
        assert imported.info.title == session.info.title
        listed, _ = await sessions.list()
        assert {one.id for one in listed} == {session.info.id, imported.info.id}
        (child,) = await sessions._services.store.children(imported.info.id)
        (task,) = (p for m in imported.messages for p in m.parts if isinstance(p, ToolPart) and p.tool == "task")
        assert isinstance(task.state, ToolCompleted)
        assert child in task.state.output
        assert task.state.metadata["sessionId"] == child
        with pytest.raises(RequestError, match="no applied change"):
            await imported.undo()
        usage = (await sessions.info(imported.info.id)).usage
        assert usage is not None
        assert usage.cost == 0
        assert usage.inherited is not None
        assert usage.inherited.cost == 0.5


async def test_file_contents_are_in_it_only_when_asked_for_and_keys_never(services, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-in-any-export")
    async with services.open(worked(services), search={"apiKey": "search-key"}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        without = json.loads(await sessions.export(session.info.id, "json"))
        whole = json.loads(await sessions.export(session.info.id, "json", contents=True))

    assert "changes" not in without["session"]
    (change,) = whole["session"]["changes"]
    assert change["files"][0]["before"] == "old\n```\n"
    assert change["files"][0]["after"] == "new\n```\n"
    assert "sk-not" not in json.dumps(whole)
    assert "search-key" not in json.dumps(whole)


async def test_markdown_has_prompts_answers_folded_calls_and_diffs(services):
    async with services.open(worked(services)) as sessions:
        session = await sessions.create(title="A talk")
        await session.prompt(GO)
        text = await sessions.export(session.info.id, "markdown")

    assert text.startswith("# A talk\n")
    assert "\n## User\n\nPlease go on.\n" in text
    assert "\n## Placet\n" in text
    assert "\nI read <it>.\n" in text
    assert "<details>\n<summary>thought</summary>\n\nHm.\n\n</details>" in text
    assert "<details>\n<summary>read a.txt</summary>" in text
    diff = text[text.index("````diff\n") :].split("\n````\n")[0]
    assert "-old" in diff
    assert "+new" in diff
    assert "## look (@explore)\n" in text
    assert text.count("<details>") == text.count("</details>")


async def test_a_session_exported_in_mid_turn_is_closed_when_it_is_imported(services):
    archive = {
        "format": "placet-session",
        "version": 1,
        "placet": "0",
        "exported": 1,
        "session": {
            "info": info().dump(),
            "messages": [
                UserMessage(id="msg_1").dump(),
                AssistantMessage(id="msg_2", parent_id="msg_1").dump(),
            ],
        },
    }
    async with services.open() as sessions:
        imported = await sessions.import_(json.dumps(archive))
        assert imported.messages[0].stop_reason == "error"
        assert imported.messages[1].completed is not None


async def test_ids_written_by_hand_are_renamed_and_texts_that_look_like_them_are_not(services):
    text = broken(
        messages=[
            {**USER, "id": "1", "parts": [{"type": "text", "id": "2", "text": "1"}], "stopReason": "end_turn"},
            {"role": "assistant", "id": "3", "parentId": "1", "model": "2", "completed": 1},
        ]
    )
    async with services.open() as sessions:
        user, answer = (await sessions.import_(text)).messages
        assert answer.parent_id == user.id != "1"
        assert user.parts[0].text == "1"
        assert answer.model == "2"


def broken(**changed: Any) -> str:
    archive = {"format": "placet-session", "version": 1, "placet": "0", "exported": 1}
    return json.dumps({**archive, "session": {"info": info(id="ses_1").dump(), **changed}})


USER = {"role": "user", "id": "msg_1", "created": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no JSON {", "not JSON"),
        ('{"format": "other"}', "`format` is not `placet-session`"),
        ("[]", "`format` is not `placet-session`"),
        ('{"format": "placet-session", "version": 9, "placet": "7.0"}', r"newer Placet \(7.0\), in version 9"),
        ('{"format": "placet-session", "version": 0}', "version: "),
        (
            broken(messages=[{"role": "user", "parts": [{"type": "text"}]}]),
            r"session.messages.0.user.parts.0.text.text",
        ),
        (broken(messages=[USER, USER]), r"session.messages.1.id: `msg_1` occurs twice"),
        (
            broken(messages=[{"role": "assistant", "id": "msg_2", "parentId": "msg_9"}]),
            r"session.messages.0.parentId: there is no prompt `msg_9` before it",
        ),
        (broken(children=[{"info": info(id="ses_1").dump()}]), "session.children.0.info.id: `ses_1` occurs twice"),
    ],
)
async def test_what_cannot_be_imported_is_said_by_field_and_leaves_nothing(services, text, said):
    async with services.open() as sessions:
        with pytest.raises(RequestError, match=said):
            await sessions.import_(text)
        assert (await sessions.list())[0] == []
