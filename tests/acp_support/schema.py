"""The protocol's own JSON Schema as the judge of every message that the agent sends."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

Json = dict[str, Any]

CLIENTS = Path(__file__).parents[1] / "acp_clients"
SCHEMA = CLIENTS / "node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"
DRAFT = SCHEMA.with_name("schema.unstable.json")
DRAFT_METHODS = frozenset(("session/fork", "session/set_title"))
"""Methods of the protocol's draft that Placet serves; a capability announces each."""
DRAFT_FIELDS = frozenset((("PromptResponse", "usage"),))
"""Optional fields of the draft that Placet sends."""


@cache
def _definitions(*, is_draft: bool = False) -> Json:
    return json.loads((DRAFT if is_draft else SCHEMA).read_text())["$defs"]


@cache
def _name(method: str, ending: str, *, is_draft: bool = False) -> str | None:
    """The definition of the method's params (`Request`, `Notification`) or result (`Response`)."""
    names = [
        name
        for name, definition in _definitions(is_draft=is_draft).items()
        if definition.get("x-method") == method and name.endswith(ending)
    ]
    return names[0] if names else None


@cache
def _validator(name: str, *, is_draft: bool = False) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": _definitions(is_draft=is_draft)})


def judge_messages(wire: list[tuple[str, Json]]) -> int:
    """Fail for a message of the agent that the schema does not allow; return the number of judged messages.

    Without the schema, which `make test` installs, nothing is judged.
    """
    if not SCHEMA.exists():
        return 0
    methods = {
        _key(message): message["method"]
        for sender, message in wire
        if sender == "client" and "id" in message and "method" in message
    }
    judged = 0
    for sender, message in wire:
        if sender == "agent":
            judged += _judge(message, methods)
    return judged


def _judge(message: Json, methods: dict[str, str]) -> int:
    assert message.get("jsonrpc") == "2.0", message
    is_draft = False
    if "method" in message:
        if (method := message["method"]) == "$/cancel_request":
            assert set(message) == {"jsonrpc", "method", "params"}, message
            assert set(message["params"]) == {"requestId"}, message
            return 1
        name, value = _name(method, "Request" if "id" in message else "Notification"), message["params"]
    elif "error" in message:
        assert {"code", "message"} <= set(message["error"]), message
        return 1
    else:
        method, value = methods[_key(message)], message["result"]
        name, is_draft = _name(method, "Response", is_draft=method in DRAFT_METHODS), method in DRAFT_METHODS
    assert name is not None, f"The protocol has no such message: {message}"
    fields: Json = value if isinstance(value, dict) else {}
    is_draft = is_draft or any(field in fields for definition, field in DRAFT_FIELDS if definition == name)
    validator = _validator(name, is_draft=is_draft)
    problems = [f"{problem.json_path}: {problem.message}" for problem in validator.iter_errors(value)]
    assert not problems, f"{name}: {problems[:3]}\n{json.dumps(message)[:2000]}"
    _refuse_unknown(_fields(_definitions(is_draft=is_draft)[name]), value, name)
    return 1


def _fields(definition: Json) -> set[str]:
    """The names that the definition has at its root, in whatever variant."""
    if "$ref" in definition:
        definition = _definitions()[definition["$ref"].rpartition("/")[2]]
    variants = [*definition.get("allOf", ()), *definition.get("anyOf", ()), *definition.get("oneOf", ())]
    return set(definition.get("properties", {})).union(*map(_fields, variants))


def _refuse_unknown(known: set[str], value: Any, where: str) -> None:
    """Fail for a field at the message's root that the protocol does not know: such names are reserved."""
    if isinstance(value, dict) and known:
        assert set(value) <= known | {"_meta"}, f"{where}: unknown fields {set(value) - known}"


def _key(message: Json) -> str:
    return json.dumps(message["id"])
