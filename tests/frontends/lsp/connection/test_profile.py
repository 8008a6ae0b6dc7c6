"""What the daemon believes of a client from its `initialize`."""

from pathlib import Path

from lsprotocol.types import WorkspaceFolder, WorkspaceFoldersChangeEvent

from corpus_support import corpus
from fake_editor.editor import FakeEditor
from fake_editor.profiles import (
    EGLOT,
    HELIX,
    KATE,
    NEOVIM,
    PLAIN,
    SIX,
    STOCK_NEOVIM,
    UNVERSIONED,
    VSCODE,
    EditorProfile,
)
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.connection.workspace import roots_of, with_changes


def profile_of(editor: EditorProfile) -> Profile:
    return Profile.of(FakeEditor(editor, Path("/project")).initialize_params())


def test_no_params_at_all_are_the_poorest_client() -> None:
    assert Profile.of({}) == Profile()


@corpus(
    "params",
    [
        {"capabilities": None, "initializationOptions": [], "clientInfo": "x"},
        {"capabilities": {"general": {"positionEncodings": "utf-8"}, "workspace": 3}},
        {"initializationOptions": {"agent": {"protocol": "1", "requests": "editor/save", "strictApply": 1}}},
        {"clientInfo": {"name": 1}, "capabilities": {"general": {"positionEncodings": ["utf-7", None]}}},
    ],
)
def test_malformed_params_are_as_good_as_absent(params: dict[str, object]) -> None:
    profile = Profile.of(params)
    assert profile == Profile()


@corpus(
    ("editor", "encoding"),
    [(VSCODE, "utf-16"), (NEOVIM, "utf-8"), (HELIX, "utf-8"), (EGLOT, "utf-32"), (KATE, "utf-16"), (PLAIN, "utf-16")],
)
def test_the_first_encoding_of_the_client_is_taken(editor: EditorProfile, encoding: str) -> None:
    assert profile_of(editor).position_encoding == encoding


def test_a_client_with_our_plugin_says_what_it_can() -> None:
    profile = profile_of(VSCODE)
    assert not profile.is_generic
    assert profile.strict_apply
    assert profile.can("editor/requestPermission")
    assert not profile.can("editor/somethingElse")
    assert "textDocument/rename" in profile.language_features


def test_each_quirk_belongs_to_its_editor() -> None:
    quirks = {
        "edits_only_after_command": {"kate"},
        "ignores_versions": {"kate"},
        "blocks_while_asking": {"eglot", "kate"},
        "confirms_edits": {"eglot"},
        "strict_apply": {"vscode", "neovim"},
    }
    for quirk, editors in quirks.items():
        assert {one.name for one in SIX if getattr(profile_of(one), quirk)} == editors, quirk


def test_neovim_gets_versions_though_it_does_not_declare_them() -> None:
    assert profile_of(STOCK_NEOVIM).versioned_edits
    assert not profile_of(UNVERSIONED).versioned_edits


def test_roots_are_the_folders_in_order_then_the_root_uri_then_the_path() -> None:
    folders = [{"uri": "file:///b%20c", "name": ""}, {"uri": "file:///a", "name": ""}, {"uri": "vscode-vfs://x/y"}]
    older = {"rootUri": "file:///r", "rootPath": "/p"}
    assert roots_of({"workspaceFolders": folders, **older}) == (Path("/b c"), Path("/a"))
    assert roots_of({"workspaceFolders": None, **older}) == (Path("/r"),)
    assert roots_of({"rootPath": "/p"}) == (Path("/p"),)
    assert roots_of({"rootUri": None}) == ()


def test_folders_come_and_go() -> None:
    added = [WorkspaceFolder("file:///c", "c"), WorkspaceFolder("file:///a", "a"), WorkspaceFolder("untitled:d", "d")]
    event = WorkspaceFoldersChangeEvent(added, removed=[WorkspaceFolder("file:///b", "b")])
    assert with_changes((Path("/a"), Path("/b")), event) == (Path("/a"), Path("/c"))


def test_who_does_not_say_its_name_is_known_by_what_it_says_of_edits() -> None:
    """As eglot 1.9 and ALE 3.3 introduce themselves."""
    eglot = Profile.of({"capabilities": {"workspace": {"applyEdit": True}, "textDocument": {}}})
    assert (eglot.blocks_while_asking, eglot.confirms_edits, eglot.ignores_message_requests) == (True, True, False)
    ale = Profile.of({"capabilities": {"workspace": {"applyEdit": False}, "textDocument": {}}})
    assert (ale.blocks_while_asking, ale.ignores_message_requests, ale.applies_edits) == (False, True, False)
    named = Profile.of({"clientInfo": {"name": "other"}, "capabilities": {"workspace": {"applyEdit": False}}})
    assert not named.ignores_message_requests
