"""A file whose name is not UTF-8 is shown and named by a spelling of its bytes, and keeps no tool from the others."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.core.errors import EditError
from placet.core.messages import TextPart, ToolCompleted, ToolPart
from placet.project.undecodable_names import spelled
from placet.tools import edit, glob, grep, listing, read
from placet.tools.framework.define import BYTES_NOTE, Tool
from services_support import TempServices
from tools_support.workbench import Workbench

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are Unicode there")

ODD = os.fsdecode(b"caf\xe9.txt")
FOLDER = os.fsdecode(b"d\xff")


@pytest.fixture
def odd(bench: Workbench) -> Path:
    bench.write("plain.txt", "needle\n")
    bench.write(f"{FOLDER}/inner.txt", "needle\n")
    return bench.write(ODD, "needle\n")


@corpus(
    ("tool", "arguments"),
    [
        (glob.TOOL, {"pattern": "**/*"}),
        (grep.TOOL, {"pattern": "needle"}),
        (listing.TOOL, {}),
        (read.TOOL, {"filePath": "."}),
    ],
)
async def test_its_bytes_are_spelled_and_the_others_are_there(
    bench: Workbench, odd: Path, tool: Tool, arguments: dict[str, Any]
) -> None:
    result = await bench.run(tool, **arguments)
    assert odd.exists()
    assert r"caf\xe9.txt" in result.output
    assert r"d\xff" in result.output
    assert "plain.txt" in result.output
    assert result.output.endswith(BYTES_NOTE)
    json.dumps([result.title, result.output, result.metadata], ensure_ascii=False).encode()


async def test_it_is_read_by_its_spelling(bench: Workbench, odd: Path) -> None:
    for name in (r"caf\xe9.txt", r"d\xff/inner.txt", spelled(str(odd))):
        assert "1: needle" in (await bench.run(read.TOOL, filePath=name)).output
    for path in (r"d\xff", r"caf\xe9.txt"):
        assert "Found 1 match\n" in (await bench.run(grep.TOOL, pattern="needle", path=path)).output
    assert r"d\xff/inner.txt" in (await bench.run(glob.TOOL, pattern="*", path=r"d\xff")).output


async def test_a_name_that_holds_the_spelling_itself_goes_first(bench: Workbench, odd: Path) -> None:
    bench.write(r"caf\xe9.txt", "literal\n")
    assert odd.exists()
    assert "1: literal" in (await bench.run(read.TOOL, filePath=r"caf\xe9.txt")).output


async def test_it_is_asked_for_by_its_spelling_and_never_granted_for_good(bench: Workbench, odd: Path) -> None:
    bench.permission = {"read": {"*.txt": "ask"}}
    await bench.run(read.TOOL, filePath=r"caf\xe9.txt")
    [request] = bench.user.requests
    assert odd.exists()
    assert request.patterns == (r"caf\xe9.txt",)
    assert request.title == r"Read caf\xe9.txt"
    assert request.always == ()


async def test_a_whole_turn_goes_on_past_it(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    (services.project / ODD).write_text("needle\n")
    (services.project / "plain.txt").write_text("needle\n")
    calls = [
        {"call": "glob", "arguments": {"pattern": "*"}},
        {"call": "grep", "arguments": {"pattern": "needle"}},
        {"call": "list", "arguments": {}},
        {"call": "read", "arguments": {"filePath": r"caf\xe9.txt"}},
        {"call": "read", "arguments": {"filePath": r"caf\xe8.txt"}},
        {"call": "lsp", "arguments": {"operation": "documentSymbol", "filePath": r"caf\xe9.txt"}},
    ]
    async with services.open(services.script(calls, [{"text": "Done."}])) as sessions:
        session = await sessions.create()
        prompt = r"Look at @caf\xe9.txt and @plain.txt."
        assert (await session.prompt([TextPart(text=prompt)])).stop_reason == "end_turn"
        states = [part.state for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
        assert [isinstance(state, ToolCompleted) for state in states] == [True, True, True, True, False, False]
        prompt_text = "".join(part.text for part in session.messages[0].parts if isinstance(part, TextPart))
        assert "The user attached plain.txt" in prompt_text
        assert r"The user attached caf\xe9.txt" in prompt_text


async def test_a_change_of_it_is_refused_before_anyone_is_asked(bench: Workbench, odd: Path) -> None:
    await bench.run(read.TOOL, filePath=r"caf\xe9.txt")
    with pytest.raises(EditError, match=r"caf\\xe9.txt is not UTF-8, so it cannot be edited here"):
        await bench.run(edit.TOOL, filePath=r"caf\xe9.txt", oldString="needle", newString="thread")
    assert odd.read_text() == "needle\n"
    assert bench.user.asked == []
