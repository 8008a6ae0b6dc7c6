"""Where a prompt and an answer stand in the chat document, whatever the user writes in it."""

import pytest

from placet.core.events import PlanEntry
from placet.frontends.lsp.generic.chat_document import (
    USER,
    context_line,
    draft,
    new_chat,
    todo_list,
    with_answer,
    with_prompt,
    with_room,
)


def test_a_prompt_by_a_command_stands_under_the_users_heading() -> None:
    text, number = with_prompt(new_chat("T"), "go")
    assert text.endswith(f"{USER}\n\ngo\n\n## Placet (1)\n\n")
    assert number == 1


def test_a_prompt_that_was_written_there_is_not_written_twice() -> None:
    text = new_chat("T") + "go\non\n"
    assert draft(text) == "go\non"
    assert with_prompt(text, "go\non")[0] == text.rstrip() + "\n\n## Placet (1)\n\n"


def test_another_draft_stays_behind_the_prompt() -> None:
    text, number = with_prompt(new_chat("T") + "half a thought\n", "go")
    answered = with_answer(text, number, "", "Done.\n")
    assert answered is not None
    assert answered.index("go\n") < answered.index("Done.") < answered.index("half a thought")
    assert draft(answered) == "half a thought"
    assert with_room(answered) == answered


def test_an_answer_grows_in_its_place_and_what_the_user_adds_stays() -> None:
    text, number = with_prompt(new_chat("T"), "go")
    one = with_answer(text, number, "", "Half")
    assert one is not None
    two = with_answer(f"note of mine\n{one}", number, "Half", "Half of it.\n")
    assert two is not None
    assert two.startswith("note of mine\n")
    assert with_room(two).endswith(f"Half of it.\n\n{USER}\n\n")
    assert draft(with_room(two)) == ""


def test_an_answer_that_the_user_changed_is_left_alone() -> None:
    text, number = with_prompt(new_chat("T"), "go")
    assert with_answer(text + "My words", number, "Half", "Half of it.") is None


@pytest.mark.parametrize("text", ["", "no heading\n", "## Placet (7)\n\nx\n"])
def test_any_document_takes_a_prompt(text: str) -> None:
    written, number = with_prompt(text, "go")
    assert number == (8 if "7" in text else 1)
    assert f"{USER}\n\ngo\n\n## Placet ({number})\n\n" in written
    assert draft(written) == ""


def test_the_todo_list_shows_what_is_done_and_what_is_in_work() -> None:
    entries = [
        PlanEntry(content="look", status="completed"),
        PlanEntry(content="change\nit", status="in_progress"),
        PlanEntry(content="test", status="pending"),
        PlanEntry(content="rest", status="cancelled"),
    ]
    assert todo_list(entries) == "Todo:\n\n- [x] look\n- [ ] **change it**\n- [ ] test\n- [x] ~~rest~~"
    assert todo_list([]) == ""


def test_the_context_line_says_what_is_known() -> None:
    assert context_line(12345, 200000, "$0.0120") == "_context: 12,345 of 200,000 tokens (6 %); cost: $0.0120_"
    assert context_line(12345, None, "") == "_context: 12,345 tokens_"
    assert context_line(0, None, "") == ""
