from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from placet.agent.agents.builtin import builtin_agents
from placet.agent.prompt.system_prompt import (
    ENVIRONMENT,
    MOST_CHARACTERS,
    Piece,
    changes_reminder,
    environment,
    system_messages,
    within_bounds,
)
from placet.project.git.repository import Repository
from placet.project.paths import Workspace

BUILD = next(agent for agent in builtin_agents() if agent.name == "build")
HERE = Piece(name=ENVIRONMENT, text="<env>here</env>")


def rules(name: str, text: str) -> Piece:
    return Piece(name=name, text=text)


def test_the_environment_says_where_and_when() -> None:
    one, two = Path("/code/one"), Path("/code/two")
    text = environment(Workspace((one, two)), {one: Repository(one, "main"), two: None}).text
    assert f"start at the first):\n  {one}\n  {two}\nGit:\n  {one}: on branch main\n  {two}: no repository\n" in text
    assert "Platform: " in text
    assert "Today: 20" in text
    assert "on no branch" in environment(Workspace((one,)), {one: Repository(one, "")}).text


def test_each_source_is_named_above_its_rules() -> None:
    messages = system_messages(
        BUILD, "a/model", [HERE, rules("/a/AGENTS.md", "Be brief."), rules("/b.md", "Use tabs.")]
    )
    assert messages == (
        BUILD.prompt,
        "<env>here</env>",
        "Instructions from /a/AGENTS.md:\nBe brief.\n\nInstructions from /b.md:\nUse tabs.",
    )
    assert system_messages(BUILD, "a/model", [HERE]) == (BUILD.prompt, "<env>here</env>")


def test_a_model_that_edits_by_patches_is_told_so() -> None:
    assert "by `apply_patch` alone" in system_messages(BUILD, "openai/gpt-5.1", [HERE])[0]


def test_rules_that_find_no_room_are_named() -> None:
    half = "x" * (MOST_CHARACTERS // 2)
    shown, left_out = within_bounds([rules("a", half), rules("b", half), rules("c", half)])
    assert [piece.text == half for piece in shown] == [True, True, False]
    assert left_out == ["c"]
    assert "read it when it matters" in shown[2].text


def test_nothing_is_told_where_nothing_changed() -> None:
    pieces = [HERE, rules("a", "Be brief.")]
    assert changes_reminder(pieces, pieces) == ""


def test_what_is_new_gone_or_different_is_told() -> None:
    before = [HERE, rules("a", "Be brief."), rules("b", "Use tabs.")]
    now = [Piece(name=ENVIRONMENT, text="<env>there</env>"), rules("a", "Be long."), rules("c", "New.")]
    assert changes_reminder(before, now) == (
        "<system-reminder>\nThis has changed, and takes the place of what you were told before.\n\n"
        "The environment is now:\n<env>there</env>\n\n"
        "The instructions from a are now:\nBe long.\n\n"
        "New instructions from c:\nNew.\n\n"
        "The instructions from b no longer hold: they are gone.\n</system-reminder>"
    )


def test_a_small_change_of_a_long_text_is_told_as_a_difference() -> None:
    lines = [f"Rule {number}: keep to it.\n" for number in range(100)]
    before = "".join(lines).rstrip()
    told = changes_reminder([rules("a", before)], [rules("a", before.replace("Rule 50: keep", "Rule 50: always keep"))])
    assert "-Rule 50: keep to it.\n+Rule 50: always keep to it.\n" in told
    assert "Rule 10:" not in told


PIECES = st.dictionaries(st.sampled_from("abcd"), st.text(max_size=30), max_size=4).map(
    lambda texts: [rules(name, text) for name, text in texts.items()]
)


@given(PIECES, PIECES)
def test_every_difference_is_told_and_nothing_else(before, now) -> None:
    old, new = ({piece.name: piece.text for piece in pieces} for pieces in (before, now))
    told = changes_reminder(before, now)
    assert bool(told) == (old != new)
    for name in "abcd":
        is_told = f"nstructions from {name} " in told or f"nstructions from {name}:" in told
        assert is_told or old.get(name) == new.get(name)
