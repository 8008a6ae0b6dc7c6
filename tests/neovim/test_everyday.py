"""What happens on any day around a review or a turn: files read again, written, closed, folded, or open elsewhere."""

import asyncio
from pathlib import Path

from neovim_support.change_set import PlayedChangeSet, created, deleted, listed
from neovim_support.daemon import kill_daemon, prompt, use_daemon, use_wire, wait_for_session
from neovim_support.editor import Editor, open_editor
from neovim_support.model import wire_model
from neovim_support.review import OLD, here
from neovim_support.screen import Screen
from neovim_support.scripted_server import CANCELLED
from time_support import wait_seconds
from wire_servers.answers import Call, Text, Wait


def test_a_file_of_the_set_is_read_again_and_closed_and_its_hunks_come_back(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, screen: Screen
) -> None:
    inquiry = changes.ask(listed(path))
    editor.command("edit!")
    screen.wait_for("● 1/2 Proposed")
    editor.command("new")
    editor.command("wincmd w")
    editor.command("wq")
    assert "Proposed" not in screen.draw().text()
    editor.open(path)
    screen.wait_for("● 1/2 Proposed")
    editor.command("bwipeout")
    assert not inquiry.done()
    editor.command("Placet review")
    screen.wait_for("● 1/2 Proposed")
    editor.keys("gA")
    assert inquiry.failure().code == CANCELLED


def test_a_hunk_in_a_closed_fold_is_opened_when_it_is_gone_to_and_other_folds_stay(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    changes.stage(listed(path))
    editor.command("set foldmethod=manual")
    editor.command("1,2fold | 5,6fold")
    editor.command("normal! 3G")
    editor.command("call feedkeys(']h', 'mx')")
    assert editor.lua("return { vim.fn.foldclosed(1), vim.fn.foldclosed(6) }") == [1, -1]
    assert "return 'rectangle'" in screen.draw().text()


def test_a_file_that_another_neovim_has_open_is_reviewed_without_a_question(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, screen: Screen
) -> None:
    other = project / "other.py"
    other.write_text(OLD)
    swaps = project.parent / "swap"
    swaps.mkdir()
    with open_editor(project) as second:
        for one in (editor, second):
            one.command(f"set directory={swaps}// updatecount=200 swapfile")
        second.open(other)
        second.keys("Otyped<Esc>")
        second.wait("vim.bo.modified")
        second.command("preserve")
        assert list(swaps.iterdir())
        inquiry = changes.ask(listed(other))
        editor.nvim.send("nvim_command", "Placet review")
        screen.wait_for("return 'rectangle'")
        assert editor.nvim.request("nvim_get_mode")["blocking"] is False
        editor.keys("gA")
        assert inquiry.failure().code == CANCELLED
        assert second.text().startswith("typed\n")


def test_new_renamed_deleted_and_binary_files_are_shown_in_the_list_and_in_their_buffers(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, screen: Screen
) -> None:
    picture = project / "logo.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    changes.stage(
        created(project / "new.py", "import shapes\n"),
        deleted(path, OLD),
        listed(project / "forms.py", [], kind="rename", oldUri=(project / "box.py").as_uri()),
        listed(picture, [], kind="delete"),
    )
    (project / "box.py").write_text(OLD)
    editor.command("Placet review")
    screen.wait_for("Proposed 4 files")
    text = screen.text()
    for name, fact in (
        ("new.py", "new file"),
        ("shapes.py", "deleted"),
        ("forms.py", "renamed"),
        ("logo.png", "deleted"),
    ):
        assert any(name in line and fact in line for line in text.splitlines()), text
    editor.keys("q")
    seen: set[str] = set()
    for _ in range(4):
        editor.command("call feedkeys(']h', 'mx')")
        seen.add(here(editor))
    assert seen == {"new.py", "shapes.py", "box.py", "logo.png"}
    assert picture.read_bytes() == b"\x89PNG\r\n\x1a\n\x00\x00"


def test_a_session_in_each_tab_gets_the_prompts_of_its_tab(editor: Editor, project: Path) -> None:
    with wire_model(Text("One."), Text("Two."), Text("Three."), Text("Four.")) as model:
        use_wire(editor, model)
        (project / "a.py").write_text("one\n")
        editor.open(project / "a.py")
        prompt(editor, "in the first tab")
        first = wait_for_session(editor, "true")
        editor.command("tab split")
        editor.command("Placet new")
        second = wait_for_session(editor, "id ~= ...", first)
        prompt(editor, "in the second tab")
        editor.command("tabprevious")
        prompt(editor, "again in the first")
        assert editor.lua("return vim.fn.bufwinid('^placet://chat/' .. ...)", first) != -1
        texts = [str([part for part in request.messages if part["role"] == "user"]) for request in model.requests]
        assert "in the first tab" in texts[2]
        assert "in the second tab" not in texts[2]
        editor.command("tabnext")
        prompt(editor, "again in the second")
        assert "in the second tab" in str(model.requests[3].messages)
        assert second != first


def test_a_file_is_typed_in_written_and_read_again_in_the_middle_of_a_turn(editor: Editor, project: Path) -> None:
    wait = Wait(asyncio.Event())
    file = project / "a.py"
    file.write_text("one\ntwo\n")
    arguments = {"filePath": str(file), "oldString": "two", "newString": "zwei"}
    read = Call("read", {"filePath": str(file)})
    with wire_model(read, (Text("I wait."), wait, Call("edit", arguments)), Text("Done.")) as model:
        use_wire(editor, model, way="apply", permission={"edit": "allow"})
        editor.open(file)
        editor.command("Placet go")
        model.wait_for_request(2)
        editor.keys("Ofirst<Esc>")
        editor.wait("vim.bo.modified")
        editor.command("edit!")
        editor.keys("Onull<Esc>")
        editor.command("new")
        editor.command("wincmd w")
        editor.command("wq")
        model.go_on(wait)
        editor.wait("#_G.ended == 1")
    assert file.read_text() == "null\none\nzwei\n"


def test_the_next_prompt_after_a_daemon_that_died_in_a_turn_opens_at_once(
    editor: Editor, project: Path, tmp_path: Path
) -> None:
    use_daemon(editor, tmp_path, [{"text": "One."}, {"wait_for_file": str(tmp_path / "never")}])
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    editor.command("Placet begin")
    wait_for_session(editor, "require('placet.sessions.known').running_turn(id)")
    kill_daemon(editor)
    # In one piece: between two requests of the test the next daemon may already be up.
    shown = editor.lua(
        """
        local is_told = function() return table.concat(_G.notices):find('during a turn', 1, true) ~= nil end
        assert(vim.wait(..., is_told, 1), table.concat(_G.notices, '\\n'))
        vim.cmd('Placet')
        return { vim.bo.filetype, vim.wo.winbar }
        """,
        int(wait_seconds() * 1000),
    )
    assert shown[0] == "placet-prompt"
    assert "starting…" in shown[1]
    editor.wait("not vim.wo.winbar:find('starting…', 1, true)")
