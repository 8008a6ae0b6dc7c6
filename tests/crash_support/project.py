"""The project a victim works on, and the script of its model."""

import json
import random
from pathlib import Path
from typing import Any

Event = dict[str, Any]

FILES = {
    "a.txt": b"one\nold\nthree\n",
    "b.txt": b"\xef\xbb\xbfalpha\r\nbeta\r\ngamma\r\n",
    "d.txt": b"to be deleted\n" * 2000,
    "e.txt": b"to be moved\nand changed\n",
}
PATCH = """\
*** Begin Patch
*** Update File: b.txt
@@
 alpha
-beta
+BETA
 gamma
*** Add File: made/c.txt
+made
*** Delete File: d.txt
*** Update File: e.txt
*** Move to: made/f.txt
@@
 to be moved
-and changed
+and CHANGED
*** End Patch
"""


def call(tool: str, **arguments: Any) -> Event:
    return {"call": tool, "arguments": arguments}


def bash(command: str, **more: Any) -> Event:
    return call("bash", command=command, description="a command", **more)


def edit(name: str, old: str, new: str) -> Event:
    return call("edit", filePath=name, oldString=old, newString=new)


def make_project(directory: Path) -> None:
    for name, data in FILES.items():
        (directory / name).write_bytes(data)


def answers(chance: random.Random) -> list[list[Event]]:
    """Those of two prompts, the first with a subagent in it, and of a compaction between them."""

    def said(text: str) -> list[Event]:
        events: list[Event] = []
        for word in text.split():
            events += [{"text": f"{word} "}, {"pause": chance.uniform(0, 0.002)}]
        return events

    return [
        [{"thought": "What is there?"}, *said("I look at the files"), *(call("read", filePath=name) for name in FILES)],
        [*said("Now I change one"), edit("a.txt", "old", "new")],
        [{"text": "And many at once."}, call("apply_patch", patchText=PATCH)],
        [bash("echo begun; sleep 0.04; echo ended"), bash("echo on; sleep 1000", background=True)],
        [call("task", description="write", prompt="Write g.txt", subagent_type="general")],
        [*said("I am the subagent"), call("write", filePath="g.txt", content="by the subagent\n")],
        said("It is written"),
        said("All of it is done"),
        said("The files were changed, as was asked."),
        [*said("Once more"), edit("a.txt", "three", "THREE"), call("write", filePath="h.txt", content="h\n")],
        said("That was all"),
    ]


def write_script(file: Path, turns: list[list[Event]]) -> str:
    """The model's name."""
    file.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}), "utf-8")
    return f"scripted/{file}"
