"""The sources of settings, merged; and what becomes of what is wrong in them."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.permissions.rules import builtin_rules, evaluate, from_settings
from placet.settings import Locations, Settings, load_settings
from placet.settings.deny_only import MOST_CHARACTERS, MOST_RULES
from placet.settings.sources import PROJECT_FILE_BYTES, ProjectFile


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    return Locations(tmp_path, tmp_path, tmp_path, tmp_path)


def load(locations: Locations, text: str = "{}", **sources: Any) -> Settings:
    locations.config.joinpath("placet.json").write_text(text, "utf-8")
    sources.setdefault("environment", {})
    return load_settings(locations, **sources)


def project_file(locations: Locations, content: object, *, trusted: bool) -> ProjectFile:
    path = locations.config / "project.json"
    path.write_text(json.dumps(content), "utf-8")
    return ProjectFile(path, hashlib.sha256(path.read_bytes()).hexdigest() if trusted else None)


def action(settings: Settings, permission: str, pattern: str) -> str:
    builtin = builtin_rules(Path("/out"))
    return evaluate(builtin + from_settings(settings.written, builtin), permission, pattern).action


def test_each_later_source_outweighs_the_former_deep_inside(locations: Locations) -> None:
    locations.config.joinpath("placet.jsonc").write_text('{"model": "a/jsonc", "maxCost": {"turn": 2}}')
    project = project_file(locations, {"maxCost": {"session": 3}, "smallModel": "a/project"}, trusted=True)
    settings = load(
        locations,
        '{"model": "a/json", "maxCost": {"turn": 1, "day": 9}, "smallModel": "a/json"}',
        project=[project],
        environment={"PLACET_MODEL": "a/environment"},
        editor={"maxCost": {"day": 4}},
        command_line={"defaultAgent": "plan"},
    )
    assert settings.max_cost.model_dump() == {"turn": 2, "session": 3, "day": 4}
    assert (settings.model, settings.small_model, settings.default_agent) == ("a/environment", "a/project", "plan")
    assert settings.problems == ()


def test_the_two_spellings_of_a_setting_are_one_setting_in_whatever_sources(locations: Locations) -> None:
    editor = {"model_options": {"max_output_tokens": 5}, "permission": {"my_tool": "deny"}}

    settings = load(
        locations,
        '{"modelOptions": {"maxOutputTokens": 9, "temperature": 1}, "permission": {"myTool": "ask"}}',
        editor=editor,
    )

    assert settings.problems == ()
    assert (settings.model_options.max_output_tokens, settings.model_options.temperature) == (5, 1)
    assert (action(settings, "my_tool", "*"), action(settings, "myTool", "*")) == ("deny", "ask")


def test_comments_trailing_commas_and_a_schema_are_taken(locations: Locations) -> None:
    settings = load(
        locations, '\ufeff// mine\n{"$schema": "x", /* a */ "model": "a/b", // c\n "tools": {"bash": true,},}'
    )
    assert settings.model == "a/b"
    assert settings.problems == ()


@corpus(
    ("text", "problem"),
    [
        (
            '{\n "diagnostics": {\n  "minSeverity": "bad"}}',
            ":3: setting `diagnostics.minSeverity`: Input should be 'error',",
        ),
        ('{\n "modle": "a/b"}', ":2: setting `modle`: there is no such setting; did you mean `model`?"),
        ('{"edit": {\n "filesThrough": 1}}', ":2: setting `edit.filesThrough`: there is no such setting; did you mean"),
        ('{"maxCost":\n {"turn": "much"}}', ":2: setting `maxCost.turn`: Input should be a valid number"),
        ('{"maxSteps":\n "three"}', ":1: setting `maxSteps`: Input should be a valid integer"),
        ('{\n"instructions": ["a",\n 7]}', ":2: setting `instructions`: Input should be a valid string"),
        ('{\n"model": }', ":2: not JSON: Expecting value"),
        ("[]", ": expected an object"),
    ],
)
def test_a_wrong_value_is_told_with_its_line_and_the_others_hold(locations: Locations, text: str, problem: str) -> None:
    editor = {"model": "a/b"}
    settings = load(locations, text, editor=editor)
    (told,) = settings.problems
    assert told.startswith(f"{locations.config / 'placet.json'}{problem}")
    assert settings.model_dump() == Settings(model="a/b").model_dump()


def test_all_that_is_wrong_is_told_at_once_and_what_is_right_beside_it_holds(locations: Locations) -> None:
    settings = load(locations, '{"maxSteps": "x", "edit": {"filesThroughEditor": "y"}, "model": "a/b"}')
    assert len(settings.problems) == 2
    assert settings.model == "a/b"


def test_a_value_that_is_wrong_leaves_that_of_the_source_below(locations: Locations) -> None:
    settings = load(locations, '{"maxSteps": 7}', editor={"maxSteps": "x"})
    assert settings.max_steps == 7
    assert settings.problems[0].startswith("the editor's options: setting `maxSteps`")


def test_references_to_the_environment_and_to_files_are_replaced(locations: Locations) -> None:
    locations.config.joinpath("key.txt").write_text(" the-key\n")
    text = '{"search": {"apiKey": "{file:key.txt}"}, "modelOptions": {"apiBase": "http://{env:BOX}:1/v1"}}'
    settings = load(locations, text, environment={"BOX": "box"})
    assert settings.search.api_key is not None
    assert settings.search.api_key.get_secret_value() == "the-key"
    assert settings.model_options.api_base == "http://box:1/v1"


def test_a_reference_to_nothing_leaves_its_setting_out_and_is_told(locations: Locations) -> None:
    settings = load(locations, '{"search": {"apiKey": "{file:no}"},\n "smallModel": "{env:NO}"}')
    assert settings.search.api_key is None
    assert settings.small_model is None
    assert [told.split(": ", 1)[1] for told in settings.problems] == [
        "setting `search.apiKey`: no cannot be read: No such file or directory",
        "setting `smallModel`: the environment variable NO is not set",
    ]


def test_a_project_that_is_not_trusted_can_only_forbid(locations: Locations) -> None:
    project = project_file(
        locations,
        {
            "permission": {"bash": {"*": "allow", "git push *": "deny"}, "read": "deny", "edit": "ask"},
            "tools": {"webfetch": False, "websearch": True},
            "model": "evil/model",
            "modelOptions": {"apiBase": "http://evil.test"},
            "instructions": ["~/.ssh/*"],
            "languages": {"own": True, "servers": {"x": {"command": ["evil"]}}},
        },
        trusted=False,
    )
    settings = load(locations, '{"permission": {"edit": "deny"}}', project=[project])
    assert settings.problems == ()
    assert settings.model == "builtin/rules"
    assert settings.model_options.api_base is None
    assert settings.instructions == []
    assert not settings.languages.own
    assert action(settings, "bash", "git push x") == "deny"
    assert action(settings, "bash", "ls") == "ask"
    assert action(settings, "read", "a") == "deny"
    assert action(settings, "edit", "a") == "deny", "what the user denied is not asked again"
    assert action(settings, "webfetch", "x") == "deny"


def test_a_trusted_project_sets_what_it_likes(locations: Locations) -> None:
    project = project_file(locations, {"permission": {"bash": "allow"}, "model": "a/b"}, trusted=True)
    settings = load(locations, project=[project])
    assert (settings.model, action(settings, "bash", "ls")) == ("a/b", "allow")


def test_a_file_that_is_not_the_one_that_was_trusted_can_only_forbid(locations: Locations) -> None:
    project = project_file(locations, {"model": "a/b"}, trusted=True)
    project.path.write_text('{"model": "evil/model"}')
    assert load(locations, project=[project]).model == "builtin/rules"


def test_what_a_secret_is_stands_in_no_problem(locations: Locations) -> None:
    settings = load(locations, '{"search": {"apiKey": {"x": "{env:KEY}"}}}', environment={"KEY": "s3cret"})
    assert settings.problems
    assert "s3cret" not in "".join(settings.problems)


@pytest.mark.skipif(os.name == "nt", reason="no pipes in the file system")
def test_a_pipe_is_no_file_of_settings_and_nobody_waits_for_it(locations: Locations) -> None:
    os.mkfifo(locations.config / "placet.jsonc")
    settings = load(locations, '{"model": "a/b"}')
    assert settings.model == "a/b"
    assert "not a regular file" in settings.problems[0]


@corpus(("size", "problem"), [(PROJECT_FILE_BYTES + 1, "larger than"), (1 << 34, "larger than")])
def test_a_file_of_settings_that_is_too_large_is_told_and_not_read(
    locations: Locations, size: int, problem: str
) -> None:
    path = locations.config / "project.json"
    with path.open("wb") as file:
        file.truncate(size)
    settings = load(locations, '{"model": "a/b"}', project=[ProjectFile(path, None)])
    assert settings.model == "a/b"
    assert problem in settings.problems[0]
    assert str(path) in settings.problems[0]


@corpus("text", ["[" * 100_000, '{"permission":' * 5_000, "/* " * 10_000])
def test_a_file_that_would_overflow_the_stack_or_take_for_ever_is_a_mistake_like_any_other(
    locations: Locations, text: str
) -> None:
    path = locations.config / "project.json"
    path.write_text(text)
    settings = load(locations, '{"model": "a/b"}', project=[ProjectFile(path, None)])
    assert settings.model == "a/b"
    assert settings.problems[0].startswith(str(path))


@corpus(
    "denials",
    [
        {"permission": {"bash": {f"x{number}": "deny" for number in range(MOST_RULES + 1)}}},
        {"permission": {"bash": {"x" * (MOST_CHARACTERS + 1): "deny"}}},
        {"tools": {f"x{number}": False for number in range(MOST_RULES + 1)}},
    ],
)
def test_an_untrusted_project_denies_only_so_much_and_its_user_is_told(locations: Locations, denials: object) -> None:
    settings = load(locations, project=[project_file(locations, denials, trusted=False)])
    (problem,) = settings.problems
    assert "none of its denials is used" in problem
    assert action(settings, "bash", "x1") == "ask"
    assert action(load(locations, project=[project_file(locations, denials, trusted=True)]), "read", "a") == "allow"


def test_what_untrusted_files_deny_is_counted_together(locations: Locations) -> None:
    half = {"permission": {"bash": {f"x{number}": "deny" for number in range(MOST_RULES)}}}
    first = project_file(locations, half, trusted=False)
    settings = load(locations, project=[first, first])
    assert action(settings, "bash", "x1") == "deny"
    assert len(settings.problems) == 1


NARROWING = {
    "mode": "require",
    "unasked": False,
    "network": "off",
    "domains": ["!evil.com", "*.example.com"],
    "denyRead": ["~/own", "secrets"],
    "leaving": "deny",
    "write": [],
    "caches": "private",
    "excluded": ["docker *"],
}
OWN = {
    "sandbox": {"write": ["~/x"], "domains": ["*.example.com"], "denyRead": ["~/own"], "caches": "shared",
                "excluded": ["docker *", "make *"], "network": "allow"}
}  # fmt: skip


@corpus("trusted", [True, False])
def test_a_project_narrows_the_sandbox_whether_trusted_or_not(locations: Locations, trusted: bool) -> None:
    project = project_file(locations, {"sandbox": NARROWING}, trusted=trusted)
    settings = load(locations, json.dumps(OWN), project=[project])
    assert settings.problems == ()
    sandbox = settings.sandbox
    assert (sandbox.mode, sandbox.unasked, sandbox.network, sandbox.leaving) == ("require", False, "off", "deny")
    assert (sandbox.write, sandbox.caches, sandbox.excluded) == ((), "private", ("docker *",))
    assert sandbox.domains == ("*.example.com", "!evil.com")
    assert sandbox.deny_read == ("~/own", "secrets")


@corpus("trusted", [True, False])
@corpus(
    ("key", "value"),
    [
        ("mode", "off"),
        ("mode", "auto"),
        ("unasked", True),
        ("unasked", "true"),
        ("unasked", 1),
        ("overlay", "auto"),
        ("write", ["~/x"]),
        ("write", "~/x"),
        ("caches", "shared"),
        ("allowRead", ["~/.ssh"]),
        ("allow_read", ["~/.ssh"]),
        ("network", "allow"),
        ("network", "ask"),
        ("domains", ["evil.com"]),
        ("domains", ["example.com", "*"]),
        ("sockets", ["/run/docker.sock"]),
        ("excluded", ["*"]),
        ("leaving", "ask"),
    ],
)
def test_what_would_widen_the_sandbox_has_no_effect_and_is_a_problem(
    locations: Locations, key: str, value: object, trusted: bool
) -> None:
    own = {"mode": "require", "unasked": False, "overlay": "off", "network": "off", "leaving": "deny"}
    before = load(locations, json.dumps({"sandbox": own})).sandbox
    project = project_file(locations, {"sandbox": {key: value}}, trusted=trusted)
    settings = load(locations, json.dumps({"sandbox": own}), project=[project])
    assert settings.sandbox == before
    [problem] = settings.problems
    assert f"setting `sandbox.{key}`: a project can only narrow the sandbox" in problem
    assert "project.json:1" in problem


@corpus("trusted", [True, False])
def test_a_project_does_not_switch_the_judge_on(locations: Locations, trusted: bool) -> None:
    project = project_file(locations, {"judge": {"enabled": True, "model": "evil/yes"}}, trusted=trusted)
    settings = load(locations, project=[project])
    assert not settings.judge.enabled
    assert settings.judge.model is None
    if trusted:
        assert "only your own settings can set the judge" in settings.problems[0]
    assert load(locations, json.dumps({"judge": {"enabled": True}}), project=[project]).judge.enabled


@corpus("trusted", [True, False])
def test_a_project_and_a_plugin_do_not_move_commands_to_a_clients_terminal(locations: Locations, trusted: bool) -> None:
    written = {"acp": {"commandsInTerminal": True}}
    settings = load(locations, project=[project_file(locations, written, trusted=trusted)], plugins=[("x", written)])
    assert not settings.acp.commands_in_terminal
    assert settings.problems[-1].endswith("only your own settings can move commands to a client's terminal")
    assert len(settings.problems) == 1 + trusted
    assert load(locations, json.dumps(written)).acp.commands_in_terminal


def test_a_plugin_only_narrows_too_and_the_user_widens_with_later_sources(locations: Locations) -> None:
    settings = load(
        locations,
        plugins=[("x", {"sandbox": {"network": "allow", "leaving": "deny"}})],
        editor={"sandbox": {"network": "allow"}},
    )
    assert (settings.sandbox.network, settings.sandbox.leaving) == ("allow", "deny")
    assert len(settings.problems) == 1


def test_a_fault_in_the_sandbox_of_a_project_is_told_as_any(locations: Locations) -> None:
    project = project_file(locations, {"sandbox": {"mod": "require", "network": "off"}}, trusted=True)
    settings = load(locations, project=[project])
    assert settings.sandbox.network == "off"
    assert "did you mean `mode`?" in settings.problems[0]


def test_an_untrusted_project_may_not_fill_the_lists_of_the_sandbox(locations: Locations) -> None:
    entries = [f"!{number}.example.com" for number in range(MOST_RULES + 1)]
    project = project_file(locations, {"sandbox": {"domains": entries}}, trusted=False)
    settings = load(locations, project=[project])
    assert settings.sandbox.domains == ()
    assert len(settings.problems) == 1
