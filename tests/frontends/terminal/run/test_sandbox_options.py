"""Headless runs: leaving the sandbox is allowed by name alone, and by no answer to everything."""

from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import NobodyToAsk
from placet.core.ports import PermissionRequest
from placet.frontends.terminal.run.approver_choice import NobodyApprover, YesApprover
from placet.permissions.leaving import read_need
from placet.permissions.rules import builtin_rules, evaluate, from_settings
from placet.settings import Locations, load_settings


@corpus(
    ("allowed", "pattern", "action"),
    [
        ({"bash": {"*": "allow"}}, "make deploy", "ask"),
        ({"*": {"*": "allow"}}, "make deploy", "ask"),
        ({"sandbox": {"make *": "allow"}}, "make deploy", "allow"),
        ({"sandbox": {"make *": "allow"}}, "connect example.com:443", "ask"),
        ({"sandbox": {"connect example.com:443": "allow"}}, "connect example.com:443", "allow"),
        ({"sandbox": {"*": "allow"}}, "write /x", "allow"),
        ({}, "make", "ask"),
    ],
)
def test_allowing_bash_does_not_imply_leaving_the_sandbox(
    tmp_path: Path, allowed: dict[str, dict[str, str]], pattern: str, action: str
) -> None:
    settings = load_settings(Locations(*(tmp_path,) * 4), environment={}, command_line={"permission": allowed})
    built_in = builtin_rules()
    assert evaluate((*built_in, *from_settings(settings.written, built_in)), "sandbox", pattern).action == action


async def test_yes_to_everything_lets_no_command_leave_the_sandbox() -> None:
    request = PermissionRequest("1", "ses", "msg", "call", "bash", (), "sandbox", "Run outside", ("make",), (), "ask")
    nobody = NobodyApprover()
    with pytest.raises(NobodyToAsk):
        await YesApprover(nobody).request_permission(request)
    assert nobody.unanswered == [request], "so that the run ends with the code for a needed permission"


async def test_yes_to_everything_lets_a_command_read_a_hidden_file_inside_the_sandbox() -> None:
    pattern = read_need(".env", "make")
    request = PermissionRequest("1", "ses", "msg", "call", "bash", (), "sandbox", "Read", (pattern,), (), "ask")
    assert (await YesApprover(NobodyApprover()).request_permission(request)).outcome == "once"
