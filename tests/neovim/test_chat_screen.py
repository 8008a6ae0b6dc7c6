"""The chat as it is on the screen, at 80 and 120 columns, without colours as well; and its pictures."""

import os
from pathlib import Path

import pytest

from neovim_support.conversation import Json, answer, call, chunk, show, started, thought, user_message
from neovim_support.editor import Editor
from neovim_support.screen import Screen

PICTURES = Path(__file__).parents[2] / "docs" / "images"
CODE = '''"""Shapes and what they measure."""

from math import pi


def area(width, height):
    return width * height


def circle(radius):
    return pi * radius**2
'''
DIFF = "--- a/shapes.py\n+++ b/shapes.py\n@@ -6,2 +6,3 @@\n def area(width, height):\n+    check(width, height)\n"
TESTS = "".join(f"tests/test_shapes.py::test_{name} PASSED\n" for name in ("area", "circle", "square", "line", "point"))


def conversation(project: Path) -> list[Json]:
    """A turn in full: thinking, a list, a search, a subagent, an edit of which a hunk was refused, a command."""
    uri = (project / "shapes.py").as_uri()
    file = {"uri": uri, "kind": "modify", "status": "applied", "additions": 2, "deletions": 1, "diff": DIFF}
    refused = {**file, "refusedHunks": [{"id": 2}]}
    steps = (("Find where shapes are made", "completed"), ("Refuse negative lengths", "completed"))
    entries = [{"content": content, "status": status} for content, status in (*steps, ("Run the tests", "in_progress"))]
    task = {"description": "Find the callers", "prompt": "Find all callers.", "subagent_type": "explore"}
    lines = "\n".join(
        ("shapes.py:6: area", "shapes.py:10: circle", "demo.py:3: area", "demo.py:9: area", "README:4: area")
    )

    def done(tool: str, name: str, seconds: float = 0.1, **state: object) -> Json:
        of = {"input": {}, "output": "", "metadata": {}, "start": 0, "end": int(seconds * 1000), **state}
        return call("completed", tool, name, **of)

    return [
        user_message("Refuse negative lengths in @shapes.py, and run the tests."),
        started(),
        answer(),
        thought(0, "The area of a box is width times height.\nWho calls it? I look first."),
        chunk(0, "I look who makes shapes before I change anything."),
        done("grep", "c1", title="area|circle", output=lines),
        {"kind": "plan", "entries": entries},
        call("running", "task", "c2", title="Find the callers", input=task, metadata={"agent": "explore"}, start=0),
        done("edit", "c3", title="shapes.py", metadata={"changeId": "chg_1", "files": [refused]}),
        chunk(0, "Both functions now call `check`:\n\n```python\ncheck(width, height)\n```", part="p2"),
        call(
            "running",
            "bash",
            "c4",
            title="pytest -q",
            input={"command": "pytest -q"},
            metadata={"output": TESTS + "tests/test_demo.py::test_demo "},
            start=0,
        ),
    ]


SUBAGENT: list[Json] = [
    user_message("Find all callers.", "u9"),
    answer("m9", "u9"),
    call("completed", "grep", "g1", title="area(", input={}, output="", metadata={}, start=0, end=1),
    call("running", "read", "g2", title="demo.py", input={}, start=0),
]


def drawn(editor: Editor, project: Path, width: int, height: int) -> Screen:
    """The screen with a file and, beside or below it, the chat and its prompt."""
    screen = Screen(editor.nvim, width, height)
    editor.command("set background=dark noruler laststatus=0 number fillchars=eob:\\  statusline=\\ %t")
    editor.command(f"set columns={width} lines={height}")
    (project / "shapes.py").write_text(CODE)
    editor.open(project / "shapes.py")
    show(editor, [])
    editor.lua("require('placet.chat').rename('ses_1', 'Refuse negative lengths')")
    editor.lua("require('placet.sessions').with_client_of = function() end")
    editor.lua("require('placet.compose').open('ses_1', { stay = true })")
    show(editor, conversation(project))
    editor.lua("for _, update in ipairs(...) do require('placet.chat').update('ses_9', update) end", SUBAGENT)
    show(editor, [])
    return screen.draw()


SAID = (
    "I look who makes shapes",
    "`grep` area|circle (5 lines)",
    "[x] Refuse negative lengths",
    "[ ] Run the tests (in progress)",
    "Find the callers (@explore)",
    "✓ `grep` area(",
    "shapes.py (+2 -1, 1 hunk rejected)",
    "pytest -q",
    "test_point PASSED",
)


@pytest.mark.parametrize(("width", "height"), [(80, 60), (120, 48)])
@pytest.mark.parametrize("colours", [True, False])
def test_all_of_a_turn_is_on_the_screen_in_the_order_in_which_it_was(
    editor: Editor, project: Path, width: int, height: int, colours: bool
) -> None:
    if not colours:
        editor.command("set notermguicolors t_Co=0 | syntax off")
    editor.lua("vim.g.placet = { chat = { size = 0.6 } }")
    text = drawn(editor, project, width, height).text()

    places = [text.find(said) for said in SAID]
    assert -1 not in places, text
    assert places == sorted(places), text
    assert "Who calls it" not in text, "thinking is folded"
    assert "demo.py:9" not in text, "long output is folded"
    assert "test_area PASSED" not in text, "the last lines only"
    model = "small" if width == 80 else "local/small"
    assert f"build · {model} · 1k tokens · running bash" in text
    assert "Refuse negative lengths · 2/3 done · runn" in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize(("width", "height"), [(80, 46), (120, 40)])
def test_the_chat_as_a_picture(editor: Editor, project: Path, tmp_path: Path, width: int, height: int) -> None:
    """The wide picture is written to docs/images only when PLACET_UPDATE_IMAGES is set."""
    editor.lua("vim.g.placet = { chat = { size = 0.55 } }")
    if width == 80:
        editor.lua("vim.g.placet = { chat = { size = 0.75, position = 'below' } }")
    screen = drawn(editor, project, width, height)
    editor.lua(
        """
      local compose = require('placet.compose')
      compose.put('ses_1', 'Then say so in the README.')
      compose.open('ses_1', { parts = ... })
    """,
        [{"type": "file", "uri": (project / "shapes.py").as_uri(), "range": {"start": 6, "end": 7}}],
    )
    screen.draw()
    directory = PICTURES if width == 120 and os.environ.get("PLACET_UPDATE_IMAGES") else tmp_path
    picture = directory / f"neovim-chat-{width}.svg"
    screen.save_svg(picture, f"Placet in Neovim: the chat, {width} columns")
    assert "http" not in picture.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
