"""Sequences of events with what they fold to, shared with the other clients' folds (clients/vscode/test/chat).

`python tests/core/test_shared_transcripts.py` writes the results anew from what this fold makes of them.
"""

import json
import sys
from pathlib import Path

from pydantic import TypeAdapter

from corpus_support import corpus
from placet.core.events import SessionEvent
from placet.core.messages import Message
from placet.core.transcript import Transcript, replay

DIRECTORY = Path(__file__).parents[1] / "wire" / "transcripts"
FILES = sorted(DIRECTORY.glob("*.json"))
MESSAGES: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...])


def folded(events):
    transcript = Transcript()
    for event in events:
        transcript.apply(SessionEvent.model_validate(event).update)
    return MESSAGES.dump_python(transcript.messages, mode="json", by_alias=True, exclude_none=True)


@corpus("path", FILES)
def test_the_fold_gives_what_the_shared_file_says(path):
    shared = json.loads(path.read_text(encoding="utf-8"))

    assert folded(shared["events"]) == shared["messages"]


def test_a_client_that_loads_the_session_has_what_one_has_that_was_there():
    """`NAME_loaded.json` is what `agent/session/load` tells of `NAME.json`: the replay, and the last usage."""
    loaded = [path for path in FILES if path.stem.endswith("_loaded")]
    for path in loaded:
        live, reloaded = (
            json.loads(file.read_text("utf-8")) for file in (path.with_stem(path.stem.removesuffix("_loaded")), path)
        )
        replayed = [update.dump() for update, _ in replay(MESSAGES.validate_python(live["messages"]))]
        usage = [event["update"] for event in live["events"] if event["update"]["kind"] == "usage_update"][-1:]
        changes = [
            event["update"]
            for event in live["events"]
            if event["update"]["kind"] in ("change_applied", "change_reverted")
        ]

        assert [event["update"] for event in reloaded["events"]] == replayed + usage
        assert [update for update in replayed if update["kind"] in ("change_applied", "change_reverted")] == changes
        assert reloaded["messages"] == live["messages"]
    assert loaded


def test_the_shared_files_have_every_kind_of_update():
    kinds = {event["update"]["kind"] for path in FILES for event in json.loads(path.read_text("utf-8"))["events"]}
    schema = SessionEvent.model_json_schema()["properties"]["update"]["discriminator"]["mapping"]

    assert kinds == set(schema)


def _write_results():
    for path in FILES:
        shared = json.loads(path.read_text(encoding="utf-8"))
        shared["messages"] = folded(shared["events"])
        path.write_text(json.dumps(shared, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(_write_results())
