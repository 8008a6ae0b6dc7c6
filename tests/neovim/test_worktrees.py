"""`:Placet worktree` with the real daemon: made, opened, brought back with a conflict, committed and removed."""

import os
import shutil
from pathlib import Path

import pytest

from neovim_support.daemon import choose, script_of, use_daemon
from neovim_support.editor import Editor
from neovim_support.screen import Screen
from placet.worktrees.difference import MOST_BYTES
from worktree_support import Repository

SAID = """(function(words)
  return vim.iter(_G.notices):any(function(text) return text:find(words, 1, true) ~= nil end)
end)(...)"""


@pytest.fixture
def bare(editor: Editor, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The project as a repository, before any daemon, with a record of all notices."""
    shutil.rmtree(project / ".git")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
        editor.lua(
            "for name, value in pairs(...) do vim.env[name] = value end",
            {
                f"GIT_{role}_NAME": "Ada",
                f"GIT_{role}_EMAIL": "ada@example.org",
            },
        )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    editor.lua("""
      _G.notices = {}
      vim.notify = function(text) table.insert(_G.notices, text) end
    """)
    return Repository(tmp_path)


@pytest.fixture
def repository(editor: Editor, bare: Repository, tmp_path: Path) -> Repository:
    """The repository with the daemon."""
    use_daemon(editor, tmp_path, [{"text": "Hello."}])
    editor.open(bare.top / "a.txt")
    return bare


def made(editor: Editor, name: str) -> Path:
    """Make a worktree by the command, and return its directory, which is open in a new tab page."""
    choose(editor, "From the last commit")
    editor.command(f"Placet worktree new {name}")
    editor.wait(SAID, f"worktree {name}: `:Placet new` starts a session here")
    return Path(editor.lua("return vim.fn.getcwd()"))


def test_a_new_worktree_is_open_in_a_tab_page_with_the_same_file(editor: Editor, repository: Repository) -> None:
    path = made(editor, "one")
    assert path.name == "one"
    assert repository.git("symbolic-ref", "--short", "HEAD", top=path) == "placet/one"
    assert editor.lua("return vim.api.nvim_buf_get_name(0)") == str(path / "a.txt")
    assert editor.lua("return vim.fn.tabpagenr('$')") == 2


def test_a_conflict_is_shown_with_both_texts_and_settled(editor: Editor, repository: Repository) -> None:
    path = made(editor, "one")
    editor.command("tabclose")
    repository.put("a.txt", "one\n2\nthree\n", path)
    repository.put("a.txt", "one\nTWO\nthree\n")
    editor.command("checktime")
    editor.command("Placet worktree bring-back one")
    editor.wait(SAID, "1 file to review, 1 in conflict: `:Placet edit` on the hunk shows both texts")
    editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(...))", str(repository.top / "a.txt"))
    editor.wait("vim.fn.maparg(']h', 'n') ~= ''")
    editor.keys("]h")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 2")
    editor.command("Placet edit")
    editor.wait("""vim.iter(vim.api.nvim_list_bufs()):any(function(bufnr)
      local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
      return vim.list_contains(lines, '<<<<<<< the file now') and vim.list_contains(lines, 'TWO')
    end)""")


def test_what_is_left_out_is_named_with_the_command_that_keeps_it(editor: Editor, repository: Repository) -> None:
    path = made(editor, "one")
    editor.command("tabclose")
    (path / "large.bin").write_bytes(bytes(MOST_BYTES + 1))
    editor.command("Placet worktree bring-back one")
    editor.wait(SAID, "left out: large.bin is larger than 10 MB; `:Placet worktree branch one` commits everything")


def test_a_list_shows_the_state_of_each_worktree_and_its_sessions(editor: Editor, repository: Repository) -> None:
    path = made(editor, "one")
    repository.put("a.txt", "changed\n", path)
    choose(editor)
    editor.command("Placet worktree")
    editor.wait("_G.asked and _G.asked[1] ~= nil")
    assert editor.lua("return _G.asked[1].lines") == ["* one  1 file changed"]
    line = editor.lua("""return require('placet.commands.worktree').line({
      name = 'two', state = 'unchanged', isHere = true,
      sessions = {
        { session = { title = 'Louder' }, state = 'waits' },
        { session = { title = 'B' }, state = 'works' },
      },
    })""")
    assert line == "* two  unchanged; Louder: waits for you; B: running"


def test_the_changes_are_committed_and_the_worktree_is_removed(editor: Editor, repository: Repository) -> None:
    path = made(editor, "one")
    editor.command("tabclose")
    repository.put("new.txt", "new\n", path)
    editor.command("Placet worktree branch one")
    editor.wait(SAID, "the changes are committed on the branch placet/one")
    choose(editor, "Remove")
    editor.command("Placet worktree remove one")
    editor.wait(SAID, "worktree one removed; the branch placet/one stays")
    assert "has changes that were not brought back" in editor.lua("return _G.asked[1].prompt")
    assert not path.exists()


def test_an_isolated_subagent_is_in_the_list_and_its_changes_arrive_in_the_review(
    editor: Editor, bare: Repository, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    make = "printf '\\0' > new.bin; ln -s a.txt link; printf 'echo\\n' > run.sh; chmod +x run.sh"
    command = f"touch {tmp_path}/started; cat {gate}; {make}"
    edit = {"filePath": "a.txt", "oldString": "typed\n", "newString": "typed\nby the subagent\n"}
    steps = (
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [{"call": "edit", "arguments": edit}],
        [{"call": "bash", "arguments": {"command": command, "description": "Wait and make"}}],
        [{"text": "Done."}],
    )
    agent = {"mode": "subagent", "isolation": "worktree", "model": script_of(tmp_path / "fixer.json", *steps)}
    task = {"description": "fix", "prompt": "Fix it.", "subagent_type": "fixer"}
    use_daemon(
        editor,
        tmp_path,
        [{"call": "task", "arguments": task}],
        [{"text": "All done."}],
        agent={"fixer": agent},
        permission=dict.fromkeys(("task", "edit", "bash", "external_directory"), "allow"),
        sandbox={"mode": "off"},
    )
    screen = Screen(editor.nvim, 100, 22)
    editor.open(bare.top / "a.txt")
    editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'typed' })")  # Unsaved: on no disk.
    editor.command("Placet fix it")
    editor.wait("vim.uv.fs_stat(...) ~= nil", str(tmp_path / "started"))
    with gate.open("w"):
        choose(editor)
        editor.command("Placet worktree")
        editor.wait("_G.asked and _G.asked[1] ~= nil")
        assert editor.lua("return _G.asked[1].lines") == ["  work-1  1 file changed; subagent fixer"]
    editor.wait("#_G.ended > 0")
    screen.wait_for("file 1/4")
    editor.command("Placet change-set")
    screen.wait_for("symbolic link to a.txt, new file")
    screen.save_svg(tmp_path / "review.svg", "An isolated subagent's changes")
    lines = [" ".join(line.split()) for line in screen.lines()]
    for part in (
        "a.txt +1 -0 1 hunk",
        "new.bin binary file, 1 byte, sha256",
        "run.sh +1 -0 new file, made executable",
    ):
        assert any(part in line for line in lines), lines
    assert bare.git("status", "--porcelain") == ""
    editor.keys("<Esc>")
    editor.command("Placet accept all")
    editor.wait(SAID, "4 hunks in 4 files accepted")
    assert (bare.top / "link").readlink() == Path("a.txt")
    lines = editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)", str(bare.top / "a.txt"))
    assert lines == ["one", "two", "three", "typed", "by the subagent"]
    assert os.access(bare.top / "run.sh", os.X_OK)
    assert bare.git("worktree", "list").count("\n") == 0
