"""The entry for the registry of the Agent Client Protocol has the form that the registry's schema asks for."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from jsonschema import Draft7Validator

from placet import __version__

ENTRY = Path(__file__).parents[3] / "packaging" / "acp_registry"
TEXT = {"type": "string", "minLength": 1}
PACKAGE = {
    "type": "object",
    "required": ["package"],
    "properties": {
        "package": TEXT,
        "args": {"type": "array", "items": {"type": "string"}},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "required": ["id", "name", "version", "description", "distribution"],
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"},
        "version": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+"},
        "name": TEXT,
        "description": TEXT,
        "license": TEXT,
        "distribution": {
            "type": "object",
            "minProperties": 1,
            "properties": {"uvx": PACKAGE, "npx": PACKAGE},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


def test_the_entry_fits_the_registrys_schema_and_names_this_version() -> None:
    entry = json.loads((ENTRY / "agent.json").read_text("utf-8"))
    assert list(Draft7Validator(SCHEMA).iter_errors(entry)) == []
    assert entry["version"] == __version__
    assert entry["distribution"]["uvx"] == {"package": f"placet=={__version__}", "args": ["--acp"]}


def test_the_icon_is_a_square_of_16_in_the_one_colour_of_the_surroundings() -> None:
    text = (ENTRY / "icon.svg").read_text("utf-8")
    icon = ElementTree.fromstring(text)
    assert (icon.get("width"), icon.get("height"), icon.get("viewBox")) == ("16", "16", "0 0 16 16")
    colours = {value for element in icon.iter() for name in ("fill", "stroke") if (value := element.get(name))}
    assert colours == {"none", "currentColor"}
    assert re.search(r"#[0-9a-fA-F]{3}|rgb|style", text) is None
