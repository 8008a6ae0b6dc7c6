"""The table of messages agrees with itself, its examples, its document and what the start announces."""

import json
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args

import pytest
from hatchling.builders.wheel import WheelBuilder

from corpus_support import corpus
from placet.agent.agents.agent import AgentCatalog
from placet.agent.agents.builtin import builtin_agents
from placet.core.events import Update
from placet.frontends.lsp import handlers, schema
from placet.frontends.lsp.handlers.define import Handler
from placet.frontends.lsp.handlers.table import HANDLERS
from placet.frontends.lsp.protocol import methods
from placet.frontends.lsp.protocol.wire import FROM_DAEMON
from placet.frontends.lsp.schema import protocol_schema
from scripts.protocol import luacats, typescript
from scripts.protocol.generated import generated_files
from scripts.protocol.generic_commands import COMMANDS

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "tests" / "wire" / "golden").glob("*.json"), key=lambda file: file.stem)
TABLE = {method: handler.message for method, handler in HANDLERS.items()} | dict(FROM_DAEMON)


def test_the_names_announced_at_the_start_are_the_tables() -> None:
    kinds = {method: handler.message.kind for method, handler in HANDLERS.items()}

    assert list(methods.REQUESTS) == [method for method, kind in kinds.items() if kind == "request"]
    assert list(methods.NOTIFICATIONS) == [method for method, kind in kinds.items() if kind == "notification"]
    assert list(methods.AGENTS) == [agent.name for agent in AgentCatalog(builtin_agents()).primary]


def test_every_declared_handler_is_in_the_table_once() -> None:
    modules = [import_module(f"{handlers.__name__}.{module.name}") for module in iter_modules(handlers.__path__)]
    declared = [value for module in modules for value in vars(module).values() if isinstance(value, Handler)]

    assert sorted(handler.method for handler in declared) == sorted(HANDLERS)
    assert all(handler.method == method for method, handler in HANDLERS.items())


@corpus("file", EXAMPLES)
def test_a_golden_example_is_what_is_read_and_sent(file: Path) -> None:
    """Every field of the example is known, and comes out again as it stands there."""
    example = json.loads(file.read_text("utf-8"))
    message = TABLE[example["method"]]

    for key, model in (("params", message.params), ("result", message.result)):
        if example.get(key) is not None:
            assert model is not None
            assert _contains(model.model_validate(example[key]).dump(), example[key])


def _contains(whole: Any, part: Any) -> bool:
    """Whether all of `part` is in `whole`, which may say more (defaults)."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and _contains(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(_contains, whole, part))
    return whole == part


def test_every_message_has_a_golden_example_and_every_update_too() -> None:
    examples = [json.loads(file.read_text("utf-8")) for file in EXAMPLES]
    kinds = {one["params"]["update"]["kind"] for one in examples if one["method"] == "agent/update"}

    assert {one["method"] for one in examples} == set(TABLE)
    assert kinds == {update.model_fields["kind"].default for update in get_args(get_args(Update)[0])}


def test_every_message_says_what_it_is_for() -> None:
    assert [method for method, message in TABLE.items() if not message.params.__doc__] == []


def test_the_document_has_every_command_of_a_plain_editor() -> None:
    assert tuple(COMMANDS) == methods.GENERIC_COMMANDS


@pytest.fixture(scope="module")
def generated() -> dict[Path, str]:
    return generated_files(ROOT)


def test_the_protocol_document_is_not_stale(generated: dict[Path, str]) -> None:
    file = ROOT / "docs" / "PROTOCOL.md"

    assert file.read_text("utf-8") == generated[file], "make docs"


def test_the_types_of_the_vscode_extension_are_not_stale(generated: dict[Path, str]) -> None:
    file = ROOT / "clients" / "vscode" / "src" / "wire.ts"

    assert file.read_text("utf-8") == generated[file], "make docs"


def test_the_types_of_the_neovim_plugin_are_not_stale(generated: dict[Path, str]) -> None:
    file = ROOT / "clients" / "neovim" / "lua" / "placet" / "_meta" / "wire.lua"

    assert file.read_text("utf-8") == generated[file], "make docs"


def test_every_lua_type_that_is_named_is_there_once() -> None:
    types = luacats.types(protocol_schema())
    defined = re.findall(r"^---@(?:class|alias) (placet\.wire\.\w+)", types, re.MULTILINE)

    assert len(defined) == len(set(defined))
    assert set(re.findall(r"placet\.wire\.\w+", types)) == set(defined)


def test_what_lua_may_leave_out_is_never_null_too() -> None:
    types = luacats.types(protocol_schema())

    assert "---@class placet.wire.TextPart\n---@field id string\n---@field type 'text'\n" in types
    assert "---@class placet.wire.TextPartInput\n---@field id? string\n---@field type 'text'\n" in types
    assert "---@field answers string[][]|placet.wire.Null\n" in types
    assert re.findall(r"---@field \w+\? .*Null.*", types) == []


def test_a_type_that_goes_both_ways_has_a_form_for_each() -> None:
    """What the editor sends may leave out what has a default; what it receives has it."""
    types = typescript.types(protocol_schema())

    assert "export interface TextPart {\n  id: string;\n  type: 'text';\n" in types
    assert "export interface TextPartInput {\n  id?: string;\n  type: 'text';\n" in types
    assert "  parts: (TextPartInput | FilePartInput | AgentPartInput | DiagnosticsPartInput)[];\n" in types
    assert "  answers: string[][] | null;\n" in types


def test_the_schema_is_complete_json(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert schema.main() == 0
    whole = json.loads(capsysbinary.readouterr().out)

    assert set(whole["messages"]) == set(TABLE)
    references = {one.split('"')[0] for one in json.dumps(whole).split('"$ref": "#/$defs/')[1:]}
    assert references <= set(whole["$defs"])


def test_the_wheel_holds_the_package_and_no_generator() -> None:
    shipped = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}

    assert "placet/frontends/lsp/schema.py" in shipped
    assert {Path(file).parts[0] for file in shipped} == {"placet"}
    generators = {
        "protocol_page.py",
        "wire_types.py",
        "typescript.py",
        "luacats.py",
        "settings_forms.py",
        "protocol.md",
    }
    assert {file.name for file in (ROOT / "scripts").rglob("*")} > generators
    assert {Path(file).name for file in shipped} & generators == set()
