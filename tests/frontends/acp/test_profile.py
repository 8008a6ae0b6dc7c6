"""Facts about clients, from the params of `initialize`."""

from typing import Any

import pytest

from corpus_support import corpus
from placet.frontends.acp.profile import FileFacts, Profile

BOTH = {"readTextFile": True, "writeTextFile": True}


def facts(name: str, fs: Any = BOTH) -> FileFacts:
    params = {"protocolVersion": 1, "clientInfo": {"name": name}, "clientCapabilities": {"fs": fs}}
    return Profile.of(params).files


@corpus(
    ("name", "shows_unsaved", "takes_writes", "keeps_review", "merges_writes"),
    [
        ("zed", True, True, True, True),
        ("Zed", True, True, True, True),
        ("agent-shell", True, True, True, False),
        ("CodeCompanion.nvim", False, False, False, False),
        ("avante.nvim", True, False, False, False),
        ("acpx", False, False, False, False),
        ("vscode-acp-client", True, False, False, False),
        ("a client of tomorrow", True, True, False, False),
        ("", True, True, False, False),
    ],
)
def test_the_facts_of_a_client_go_by_its_name(
    name: str, shows_unsaved: bool, takes_writes: bool, keeps_review: bool, merges_writes: bool
) -> None:
    found = facts(name)
    assert (found.shows_unsaved, found.takes_writes) == (shows_unsaved, takes_writes)
    assert (found.keeps_review, found.merges_writes) == (keeps_review, merges_writes)


@pytest.mark.parametrize("fs", [None, {}, {"readTextFile": False}])
def test_a_client_has_only_the_methods_that_the_client_advertises(fs: Any) -> None:
    assert (facts("zed", fs).shows_unsaved, facts("zed", fs).takes_writes) == (False, False)


@corpus("params", [None, [], {}, {"protocolVersion": 1}, {"protocolVersion": 1, "clientInfo": 7}])
def test_a_client_that_describes_itself_wrongly_has_no_methods(params: Any) -> None:
    assert Profile.of(params).files == FileFacts()


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"terminal": "yes"}, "clientCapabilities.terminal"),
        ({"auth": {"terminal": 1}}, "clientCapabilities.auth.terminal"),
        ({"session": []}, "clientCapabilities.session"),
        ({"elicitation": {"form": 7}}, "clientCapabilities.elicitation.form"),
        ({"fs": {**BOTH, "writeTextFile": "no"}}, "clientCapabilities.fs.writeTextFile"),
    ],
)
def test_a_wrong_field_is_left_out_alone_which_the_log_says(
    wrong: dict[str, Any], named: str, caplog: pytest.LogCaptureFixture
) -> None:
    rest = {"fs": BOTH, "elicitation": {"form": {}}, "session": {"notices": {}}, "unknown": 1}
    info = {"name": "zed", "version": 7}
    profile = Profile.of({"clientInfo": info, "clientCapabilities": {**rest, **wrong}})
    assert profile.key == ("zed", "")
    assert profile.files.shows_unsaved
    assert profile.files.keeps_review
    assert profile.files.takes_writes is ("fs" not in wrong)
    assert profile.has_forms is ("elicitation" not in wrong)
    assert profile.takes_notices is ("session" not in wrong)
    assert [message.split("`")[1] for message in caplog.messages] == ["clientInfo.version", named]
