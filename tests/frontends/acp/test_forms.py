"""Forms for questions, hunks and reasons, over the true wire, and their meaning by itself."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_support import ALLOW, EDIT, READ, REJECT, AcpClient, run_placet
from acp_support.shared import SharedPlace
from changes_support.answers import accepted as accepted_by
from changes_support.answers import answering
from mcp_support import odd
from placet.core.ports import (
    AlwaysOffer,
    PermissionAnswer,
    PermissionRequest,
    ProposedChange,
    ProposedFile,
    Question,
    QuestionOption,
)
from placet.frontends.acp.ports import forms
from placet.text.diff import apply_hunks, make_hunks
from run_support import Place

Json = dict[str, Any]

FORMS: Json = {"elicitation": {"form": {}}}
DONE = [{"text": "Done."}]
LONG = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"
READ_LONG = {"call": "read", "arguments": {"filePath": "long.txt"}}
TWO_HUNKS = {
    "call": "multiedit",
    "arguments": {
        "filePath": "long.txt",
        "edits": [{"oldString": "one", "newString": "ONE"}, {"oldString": "nine", "newString": "NINE"}],
    },
}
COLOUR = {
    "header": "Colour",
    "question": "Which colour?",
    "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": ""}],
}
PARTS = {"header": "Parts", "question": "Which parts?", "options": [{"label": "A"}, {"label": "B"}], "multiple": True}
NAME = {"header": "Name", "question": "What name?", "options": []}


@pytest.fixture
def place(shared_place: SharedPlace) -> SharedPlace:
    return shared_place


def ask(*questions: Json) -> Json:
    return {"call": "question", "arguments": {"questions": list(questions)}}


def select(option_id: str) -> Json:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


def accepted(**content: object) -> Json:
    return {"action": "accept", "content": content}


# ---------------------------------------------------------------- questions


async def test_all_questions_of_a_call_are_one_form_and_the_answers_reach_the_model(place: Place) -> None:
    place.script([ask(COLOUR, PARTS, NAME)], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        client.form = lambda params: accepted(question0="Blue", question1=["A", "B"], question2=" Fred ")
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        (request,) = client.requests("elicitation/create")
        params = request["params"]
        assert (params["mode"], params["sessionId"]) == ("form", session_id)
        fields = params["requestedSchema"]["properties"]
        assert fields["question0"]["oneOf"] == [
            {"const": "Red", "title": "Red", "description": "warm"},
            {"const": "Blue", "title": "Blue"},
        ]
        assert fields["question0_own"]["_meta"] == {"_askUserQuestionCustomAnswer": {"questionId": "question0"}}
        assert fields["question1"]["type"] == "array"
        assert fields["question2"] == {"type": "string", "title": "Name", "description": "What name?"}
        output = json.dumps((await client.update("tool_call_update", status="completed"))["content"])
        assert '\\"Which colour?\\"=\\"Blue\\"' in output.replace('\\\\"', '\\"')
        assert "A, B" in output
        assert "Fred" in output
        assert client.requests("session/request_permission") == []


async def test_values_for_an_mcp_server_are_asked_by_a_form_and_a_password_is_left_to_the_terminal(
    place: Place,
) -> None:
    region = {"id": "region", "default": "eu"}
    token = {"id": "token", "password": True}
    mcp = {
        "odd": odd("environment", env={"GIVEN": "${input:region}"}, inputs=[region], permission="allow"),
        "hidden": odd("plain", env={"GIVEN": "${input:token}"}, inputs=[token]),
    }
    config = place.directory / "CONFIG" / "placet" / "placet.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps({"mcp": {**mcp, "waitSeconds": 100}}))
    place.script([{"call": "odd_do"}], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        client.form = lambda params: accepted(question0_own="us")
        assert await client.prompt(await client.opened()) == "end_turn"
        (request,) = client.requests("elicitation/create")
        assert "The MCP server odd asks for: region" in json.dumps(request)
        output = json.dumps((await client.update("tool_call_update", status="completed"))["content"])
        assert '"GIVEN": "us"' in output.replace("\\", "")
        told = json.dumps(client.updates())
        assert "Give a value with `placet mcp input hidden`." in told


async def test_own_words_outweigh_the_choice(place: Place) -> None:
    place.script([ask(COLOUR)], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        client.form = lambda params: accepted(question0="Red", question0_own="a soft green")
        await client.prompt(await client.opened())
        output = json.dumps((await client.update("tool_call_update", status="completed"))["content"])
        assert "a soft green" in output
        assert "Red" not in output


@pytest.mark.parametrize("answer", [{"action": "decline"}, {"action": "cancel"}, {"action": "later"}, {}, None, []])
async def test_a_form_that_is_not_accepted_declines_the_question(place: Place, answer: Any) -> None:
    place.script([ask(COLOUR)], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        prompt = client.begin_prompt(await client.opened())
        request = await client.until(lambda message: message.get("method") == "elicitation/create")
        client.send({"id": request["id"], "result": answer})
        assert (await client.answer(prompt))["stopReason"] == "end_turn"
        assert (await client.update("tool_call_update", status="failed"))["kind"] == "other"


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {}}, {"elicitation": {"url": {}}}])
async def test_a_client_without_forms_is_never_asked_by_a_form(place: Place, capabilities: Json) -> None:
    place.script([ask(COLOUR)], [READ], [EDIT], DONE)
    async with AcpClient(place, capabilities=capabilities) as client:
        client.permission = lambda params: select(params["options"][0]["optionId"])
        await client.prompt(await client.opened())
        assert client.requests("elicitation/create") == []
        kinds = [option["kind"] for option in (await client.asked(2))["params"]["options"]]
        assert kinds == ["allow_once", "allow_always", "reject_once"]


async def test_a_form_answered_in_a_terminal_is_withdrawn(place: Place) -> None:
    place.script([ask(COLOUR)], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        prompt = client.begin_prompt(await client.opened())
        request = await client.until(lambda message: message.get("method") == "elicitation/create")
        listed: list[Json] = []
        while not listed:
            listed = json.loads((await asyncio.to_thread(run_placet, place, "pending", "--json")).stdout or "[]")
        done = await asyncio.to_thread(run_placet, place, "approve", listed[0]["id"], "--answer", "Red")
        assert done.returncode == 0, done.stderr
        assert (await client.answer(prompt))["stopReason"] == "end_turn"
        withdrawn = await client.until(lambda message: message.get("method") == "$/cancel_request")
        assert withdrawn["params"] == {"requestId": request["id"]}


# ---------------------------------------------------------------- permission requests


def opened_options(request: Json) -> list[tuple[str, str]]:
    return [(option["optionId"], option["kind"]) for option in request["params"]["options"]]


async def test_chosen_hunks_are_written_and_the_words_reach_the_model(place: Place) -> None:
    (place.project / "long.txt").write_text(LONG)
    turns: list[Json] = [{"events": [READ_LONG]}, {"events": [TWO_HUNKS]}, {"expect": ["leave nine"], "events": DONE}]
    place.script()
    (place.directory / "script.json").write_text(json.dumps({"turns": turns}))
    async with AcpClient(place, capabilities=FORMS) as client:
        client.permission = lambda params: select("hunks")
        client.form = lambda params: accepted(hunk0=True, hunk1=False, reason="leave nine")
        assert await client.prompt(await client.opened()) == "end_turn"
        request = await client.asked()
        assert opened_options(request) == [
            ("once", "allow_once"),
            ("always:project", "allow_always"),
            ("hunks", "allow_once"),
            ("reject", "reject_once"),
            ("reason", "reject_once"),
        ]
        (form,) = client.requests("elicitation/create")
        fields = form["params"]["requestedSchema"]["properties"]
        assert [fields[name]["title"] for name in ("hunk0", "hunk1")] == ["long.txt:1", "long.txt:9"]
        assert fields["hunk0"]["description"] == "-one\n+ONE"
        assert form["params"]["toolCallId"] == request["params"]["toolCall"]["toolCallId"]
        assert (place.project / "long.txt").read_text() == LONG.replace("one", "ONE")
        assert client.text() == "Done."


async def test_all_hunks_with_a_scope_are_remembered(place: Place) -> None:
    (place.project / "long.txt").write_text(LONG)
    again = {"call": "edit", "arguments": {"filePath": "long.txt", "oldString": "two", "newString": "TWO"}}
    place.script([READ_LONG], [TWO_HUNKS], [again], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        client.permission = lambda params: select("hunks")
        client.form = lambda params: accepted(hunk0=True, hunk1=True, remember="project")
        await client.prompt(await client.opened())
        changed = LONG.replace("one", "ONE").replace("nine", "NINE").replace("two", "TWO")
        assert (place.project / "long.txt").read_text() == changed
        assert len(client.requests("session/request_permission")) == 1


@pytest.mark.parametrize("content", [{}, {"hunk0": "true", "hunk1": 1}, {"hunk0": False}, {"hunk7": True}])
async def test_a_form_without_a_ticked_hunk_rejects_and_no_file_changes(place: Place, content: Json) -> None:
    (place.project / "long.txt").write_text(LONG)
    place.script([READ_LONG], [TWO_HUNKS], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        client.permission = lambda params: select("hunks")
        client.form = lambda params: accepted(**content)
        await client.prompt(await client.opened())
        assert (place.project / "long.txt").read_text() == LONG


async def test_a_form_put_away_leads_back_to_the_options(place: Place) -> None:
    (place.project / "long.txt").write_text(LONG)
    place.script([READ_LONG], [TWO_HUNKS], DONE)
    answers = iter([select("hunks"), select("reason"), ALLOW])
    async with AcpClient(place, capabilities=FORMS) as client:
        client.permission = lambda params: next(answers)
        client.form = lambda params: {"action": "cancel"}
        await client.prompt(await client.opened())
        assert len(client.requests("session/request_permission")) == 3
        assert (place.project / "long.txt").read_text() == LONG.replace("one", "ONE").replace("nine", "NINE")


async def test_forms_put_away_without_end_end_as_a_rejection(place: Place) -> None:
    (place.project / "long.txt").write_text(LONG)
    place.script([READ_LONG], [TWO_HUNKS], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        client.permission = lambda params: select("hunks")
        client.form = lambda params: {"action": "cancel"}
        assert await client.prompt(await client.opened()) == "end_turn"
        assert (place.project / "long.txt").read_text() == LONG


async def test_the_reason_of_a_rejection_reaches_the_model_and_no_file_changes(place: Place) -> None:
    turns: list[Json] = [{"events": [READ]}, {"events": [EDIT]}, {"expect": ["use another word"], "events": DONE}]
    place.script()
    (place.directory / "script.json").write_text(json.dumps({"turns": turns}))
    async with AcpClient(place, capabilities=FORMS) as client:
        client.permission = lambda params: select("reason")
        client.form = lambda params: accepted(reason="use another word")
        assert await client.prompt(await client.opened()) == "end_turn"
        assert client.text() == "Done."
        assert place.file.read_text() == "one\nold\nthree\n"
        # One hunk is no choice.
        assert "hunks" not in dict(opened_options(await client.asked()))


@pytest.mark.parametrize("option", ["hunks", "reason"])
async def test_a_client_without_forms_cannot_select_a_form(place: Place, option: str) -> None:
    async with AcpClient(place) as client:
        client.permission = lambda params: select(option)
        await client.prompt(await client.opened())
        assert client.requests("elicitation/create") == []
        assert place.file.read_text() == "one\nold\nthree\n"


async def test_a_cancelled_prompt_withdraws_the_form(place: Place) -> None:
    place.script([ask(COLOUR)], DONE)
    async with AcpClient(place, capabilities=FORMS) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        request = await client.until(lambda message: message.get("method") == "elicitation/create")
        client.notify("session/cancel", {"sessionId": session_id})
        assert (await client.answer(prompt))["stopReason"] == "cancelled"
        withdrawn = await client.until(lambda message: message.get("method") == "$/cancel_request")
        assert withdrawn["params"] == {"requestId": request["id"]}


async def test_a_plain_choice_stays_a_choice_of_options_with_forms(place: Place) -> None:
    async with AcpClient(place, capabilities=FORMS) as client:
        client.permission = lambda params: REJECT
        session_id = await client.opened()
        await client.prompt(session_id)
        client.permission = lambda params: select("choice:1")
        await client.prompt(session_id, "/back 1")
        assert client.requests("elicitation/create") == []


# ---------------------------------------------------------------- the meaning of a form, by itself

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
labels = st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=3)
questions = st.builds(
    Question,
    st.just("H"),
    st.just("Q?"),
    labels.map(lambda names: tuple(map(QuestionOption, names))),
    multiple=st.booleans(),
    custom=st.booleans(),
)


@given(asked=st.lists(questions, min_size=1, max_size=3), result=junk, values=st.lists(junk, min_size=6, max_size=6))
def test_whatever_a_client_sends_an_answer_is_a_label_or_words_where_words_are_allowed(
    asked: list[Question], result: Any, values: list[Any]
) -> None:
    names = list(forms.questions_form(asked)["properties"])
    content = dict(zip(names, values, strict=False))
    answers = forms.questions_answer(asked, content)
    assert len(answers) == len(asked)
    for question, answer in zip(asked, answers, strict=True):
        known = {option.label for option in question.options}
        assert question.multiple or len(answer) <= 1
        assert all(isinstance(word, str) and word.strip() for word in answer)
        if not question.custom and known:
            assert set(answer) <= known
    assert forms.filled_form(result).action in ("accept", "decline", "cancel")


def requested(old: str, new: str, kind: Any = "modify") -> PermissionRequest:
    file = ProposedFile(Path("/project/a.txt"), kind, old, new, make_hunks(old, new), name="a.txt")
    return PermissionRequest(
        "ask_1",
        "ses_1",
        "msg_1",
        "call_1",
        "edit",
        (),
        "edit",
        "Edit a.txt",
        ("a.txt",),
        (AlwaysOffer("session", ("a.txt",)),),
        "a rule",
        change=ProposedChange("chg_1", (file,)),
    )


texts = st.lists(st.sampled_from(["a\n", "b\n", "c\n"]), max_size=12).map("".join)


@given(old=texts, new=texts, ticks=st.lists(st.booleans(), min_size=12, max_size=12), scope=junk | st.just("session"))
def test_the_ticked_hunks_and_no_others_are_accepted(old: str, new: str, ticks: list[bool], scope: Any) -> None:
    request = requested(old, new)
    assert request.change is not None
    (file,) = request.change.files
    content = {f"hunk{number}": tick for number, tick in enumerate(ticks)} | {"remember": scope}
    answer = forms.hunks_answer(request, content)
    ticked = {hunk.id for hunk, tick in zip(file.hunks, ticks, strict=False) if tick}
    if not file.hunks:
        return
    if not ticked:
        assert answer.outcome == "reject"
        return
    [ids] = accepted_by(answer).values() if answer.decisions else [None]
    accepted_ids = {hunk.id for hunk in file.hunks} if ids is None else ids
    assert accepted_ids == ticked
    assert apply_hunks(old, file.hunks, accepted_ids) == apply_hunks(old, file.hunks, ticked)
    assert answer.outcome == ("always" if scope == "session" else "once")


def test_a_deleted_file_is_accepted_as_a_whole_beside_another_file() -> None:
    deleted = requested("a\nb\n", "", "delete").change
    edited = requested("a\nb\n", "a\nc\n").change
    assert deleted is not None
    assert edited is not None
    gone = deleted.files[0]
    other = ProposedFile(Path("/project/b.txt"), "modify", "a\n", "c\n", make_hunks("a\n", "c\n"), name="b.txt")
    both = requested("", "")
    request = PermissionRequest(
        *(getattr(both, name) for name in both.__struct_fields__[:11]),
        change=ProposedChange("chg_1", (gone, other)),
    )
    assert forms.can_choose_hunks(request)
    answer = forms.hunks_answer(request, {"hunk0": True})
    assert answer == answering({gone.path: {hunk.id for hunk in gone.hunks}})(request)
    assert accepted_by(answer) == {gone.path: None}


def test_a_secret_fits_no_form_and_one_plain_choice_needs_none() -> None:
    choice = Question("H", "Q?", (QuestionOption("a"), QuestionOption("b")), custom=False)
    secret = Question("H", "Key?", (), secret=True)
    assert not forms.fits_form([choice, secret])
    assert forms.fits_form([choice])
    assert not forms.needs_form([choice])
    assert forms.needs_form([choice, choice])


def test_a_change_with_one_hunk_or_very_many_offers_no_choice() -> None:
    assert not forms.can_choose_hunks(requested("a\nb\n", "a\nc\n"))
    many = "".join(f"{number}\nsame\n" for number in range(forms.MOST_BOXES + 1))
    assert not forms.can_choose_hunks(requested(many, many.replace("\nsame", "x\nsame")))
    assert forms.reason_answer(requested("", ""), {"reason": 5}) == PermissionAnswer("reject")
