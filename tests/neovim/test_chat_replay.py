"""A page is what its events make it: at once or one by one, drawn after each or once, seen twice, or summed up."""

import itertools
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neovim_support.conversation import answer, call, chunk, ended, started, thought, user_message
from neovim_support.editor import Editor

Json = dict[str, Any]

TEXTS = st.text(alphabet="aä😀 `\n", min_size=1, max_size=12)
STATUSES = ("pending", "running", "running", "completed")
numbers = itertools.count(1)

COMPARE = """
  local number, events, flushes, again, short = ...
  local chat = require('placet.chat')
  local function shown(session)
    return vim.api.nvim_win_call(chat.show(session), function()
      local levels = {}
      for line = 1, vim.fn.line('$') do
        levels[line] = vim.fn.foldlevel(line)
      end
      return { vim.api.nvim_buf_get_lines(0, 0, -1, true), levels }
    end)
  end
  local function live(session, first)
    chat.show(session)
    for index = first, #events do
      chat.update(session, events[index])
      if flushes[index] then
        chat.replay(session, {})
      end
    end
    chat.replay(session, {})
    return shown(session)
  end
  local function replayed(session, updates)
    chat.replay(session, vim.tbl_map(function(update)
      return { update = update }
    end, updates))
    return shown(session)
  end
  local function name(kind)
    return ('ses_%s%d'):format(kind, number)
  end
  local results = {
    live(name('live'), 1),
    replayed(name('whole'), events),
    replayed(name('short'), short),
    live(name('live'), again),
    replayed(name('live'), short),
  }
  for _, kind in ipairs({ 'live', 'whole', 'short' }) do
    chat.forget(name(kind))
  end
  vim.cmd('silent! only')
  return results
"""


@st.composite
def turns(draw: st.DrawFn) -> list[Json]:
    """The events of a few turns: text in pieces, calls that go on, lists, notes."""
    events: list[Json] = []
    for turn in range(draw(st.integers(1, 2))):
        name, message = f"u{turn}", f"m{turn}"
        events += [user_message(f"prompt {turn}", name, 1000), started(name), answer(message, name)]
        for number in range(draw(st.integers(0, 8))):
            kind = draw(st.sampled_from(("text", "thought", "tool", "plan", "notice", "retry")))
            events += _of_message(draw(_events(kind, f"{turn}_{number}")), message, name)
        if draw(st.booleans()):
            events += [answer(message, name, completed=9000, cost=0.5), ended(turn=name)]
    return events


@st.composite
def _events(draw: st.DrawFn, kind: str, name: str) -> list[Json]:
    match kind:
        case "text" | "thought":
            pieces = draw(st.lists(TEXTS, min_size=1, max_size=4))
            offsets = itertools.accumulate(map(len, pieces), initial=0)
            make = chunk if kind == "text" else thought
            return [make(offset, piece, part=name) for offset, piece in zip(offsets, pieces, strict=False)]
        case "tool":
            tool = draw(st.sampled_from(("bash", "read")))
            output = "x\n" * draw(st.integers(0, 9))
            return [
                call(
                    status, tool, name, title="it", input={}, output=output, metadata={"output": output}, start=0, end=1
                )
                for status in STATUSES[: draw(st.integers(1, 4))]
            ]
        case "plan":
            count = draw(st.integers(1, 3))
            entries = [{"content": f"step {number}", "status": "pending"} for number in range(count)]
            return [{"kind": "plan", "entries": entries}]
        case "notice":
            return [{"kind": "notice", "turnId": name, "code": "c", "message": "Mind this."}]
        case _:
            error = {"code": "rate_limit", "message": "Wait."}
            return [{"kind": "retry", "messageId": name, "attempt": 1, "waitSeconds": 2.0, "error": error}]


def _of_message(events: list[Json], message: str, turn: str) -> list[Json]:
    return [
        {**event, "messageId": message} if event["kind"] not in ("notice", "retry", "plan") else event
        for event in events
    ]


def summed_up(events: list[Json]) -> Iterator[Json]:
    """As `agent/session/load` tells it: every part once, as it is in the end, where it first appeared."""
    texts: dict[str, str] = {}
    calls: dict[str, Json] = {}
    for event in events:
        if "partId" in event:
            texts[event["partId"]] = texts.get(event["partId"], "") + event["text"]
        elif "part" in event:
            calls[event["part"]["callId"]] = event
    for event in events:
        if "partId" in event:
            if event["offset"] == 0:
                yield {**event, "text": texts[event["partId"]]}
        elif "part" in event:
            if (last := calls.pop(event["part"]["callId"], None)) is not None:
                yield {**last, "kind": "tool_call"}
        else:
            yield event


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=turns(), data=st.data())
def test_a_replay_makes_the_same_page_as_the_events_did(
    editor: Editor, events: list[Json], data: st.DataObject
) -> None:
    flushes = data.draw(st.lists(st.booleans(), min_size=len(events), max_size=len(events)))
    begins = [number for number, event in enumerate(events, 1) if event["kind"] == "user_message"]
    again = data.draw(st.sampled_from(begins))

    live, whole, short, repeated, brought_up_to_date = editor.lua(
        COMPARE, next(numbers), events, flushes, again, list(summed_up(events))
    )

    assert whole == live
    assert short == live
    assert repeated == live
    assert brought_up_to_date == live
