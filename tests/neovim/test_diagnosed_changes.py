"""Real Neovim, real daemon, real pyright, scripted model: what the model is told that its change did."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from neovim_support.daemon import Turn, current_session, page, prompt, use_daemon
from neovim_support.editor import Editor, open_editor
from neovim_support.language_servers import enable
from neovim_support.review import ASKED_HERE

Talk = Callable[..., Editor]

OLD_ERRORS = 10
BELOW = "".join(f'old_{number}: int = "text"\n' for number in range(OLD_ERRORS))
BROKEN = "def scale(value: int) -> int:\n    return value * FACTOR\n\n\n"
MENDED = "FACTOR = 2\n\n\ndef scale(value: int) -> int:\n    return value * FACTOR + OFFSET\n\n\n"

REFERENCES = """(function(files)
  local pyright = vim.lsp.get_clients({ name = 'pyright', bufnr = 0 })[1]
  local answer = pyright:request_sync('textDocument/references', {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = 1, character = 4 },
    context = { includeDeclaration = true },
  }, 10000, 0)
  local uris = {}
  for _, location in ipairs(answer and answer.result or {}) do
    uris[location.uri] = true
  end
  return vim.tbl_count(uris) == files
end)(...)"""
"""Whether pyright knows the function on the second line in this number of files: pyright reads a project by and by."""


@pytest.fixture
def talk(project: Path, tmp_path: Path) -> Iterator[Talk]:
    """Open a file in a Neovim with pyright, whose model plays the turns; more are settings."""
    with open_editor(project) as editor:

        def start(path: Path, turns: list[Turn], **settings: Any) -> Editor:
            use_daemon(editor, tmp_path, *turns, diagnostics={"timeoutSeconds": 50}, **settings)
            editor.lua("vim.lsp.enable('placet')")
            enable(editor, "pyright")
            editor.open(path)
            return editor

        yield start


def chat(editor: Editor) -> str:
    return page(editor, current_session(editor))


def test_the_model_is_told_one_new_and_one_fixed_above_ten_old_errors(talk: Talk, project: Path) -> None:
    path = project / "a.py"
    path.write_text(BROKEN + BELOW)
    edit = {"filePath": str(path), "oldString": BROKEN, "newString": MENDED}
    reports = [
        "(pyright; fresh,",
        f"1 error fixed, 1 error new. ({OLD_ERRORS} from before remain.)",
        'a.py:5:29: error: "OFFSET" is not defined',
    ]
    editor = talk(
        path,
        [
            [{"call": "read", "arguments": {"filePath": str(path)}}],
            [{"call": "edit", "arguments": edit}],
            {"expect": reports, "events": [{"text": "That is all."}]},
        ],
        permission={"edit": "allow"},
    )
    editor.wait("#vim.diagnostic.get(0, { severity = 1 }) == ...", OLD_ERRORS + 1)

    prompt(editor, "mend scale")

    assert "That is all." in chat(editor), chat(editor)
    assert "Pyright: 1 fixed, 1 new" in chat(editor)


def test_a_rename_over_unsaved_and_closed_files_is_one_review_and_one_undo(talk: Talk, project: Path) -> None:
    texts = {
        "shapes.py": "def make() -> int:\n    return 1\n",
        "use.py": "from shapes import make\n\nmake()\n",
        "more.py": "import shapes\n\nprint(shapes.make())\n",
    }
    for name, text in texts.items():
        (project / name).write_text(text)
    shapes, use, more = (project / name for name in texts)
    rename = {"operation": "rename", "filePath": str(shapes), "line": 2, "character": 5, "newName": "build"}
    editor = talk(
        shapes,
        [
            [{"call": "lsp", "arguments": rename}],
            {"expect": ["shapes.py", "use.py", "more.py"], "events": [{"text": "That is all."}]},
        ],
    )
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# unsaved' })")
    unsaved = editor.text()
    editor.wait("#vim.lsp.get_clients({ name = 'pyright', bufnr = 0 }) == 1")
    editor.wait(REFERENCES, len(texts))

    editor.command("Placet rename make")
    editor.wait(ASKED_HERE)
    editor.keys("gA")
    editor.wait("#_G.ended == 1")

    assert "That is all." in chat(editor), chat(editor)
    assert editor.text() == unsaved.replace("make", "build")
    assert shapes.read_text() == texts["shapes.py"], "it was not saved before, and is not now"
    assert use.read_text() == texts["use.py"].replace("make", "build")
    assert more.read_text() == texts["more.py"].replace("make", "build")

    editor.command("Placet undo")
    editor.wait("vim.iter(_G.notices):any(function(text) return vim.startswith(text, 'Placet undo: ') end)")
    assert editor.text() == unsaved
    assert {name: (project / name).read_text() for name in texts} == texts


def test_a_change_of_a_file_that_nobody_has_open_is_judged_by_the_editors_servers(talk: Talk, project: Path) -> None:
    shown, closed = project / "shown.py", project / "closed.py"
    shown.write_text("")
    closed.write_text(BROKEN)
    edit = {"filePath": str(closed), "oldString": "FACTOR", "newString": "OFFSET"}
    editor = talk(
        shown,
        [
            [{"call": "read", "arguments": {"filePath": str(closed)}}],
            [{"call": "edit", "arguments": edit}],
            {"expect": ["(pyright; fresh,", '"OFFSET" is not defined'], "events": [{"text": "That is all."}]},
        ],
        permission={"edit": "allow"},
    )
    editor.wait("#vim.lsp.get_clients({ name = 'pyright', bufnr = 0 }) == 1")

    prompt(editor, "change it")

    assert "That is all." in chat(editor), chat(editor)
    assert "OFFSET" in closed.read_text()
    assert editor.lua(
        "return vim.tbl_map(function(buffer) return buffer.name end, vim.fn.getbufinfo({ buflisted = 1 }))"
    ) == [str(shown)]
