"""The generated files of the repository, each with its text."""

import json
from pathlib import Path

from placet.frontends.lsp.schema import protocol_schema
from placet.frontends.terminal.run.run_events import run_schema
from placet.frontends.terminal.setup.editor_texts import EDITORS
from placet.settings.schema import settings_schema
from scripts.protocol import luacats, typescript
from scripts.protocol.command_line_page import command_line_page
from scripts.protocol.editor_page import editor_page
from scripts.protocol.method_names import declared_handlers, method_names_text
from scripts.protocol.model_faults import model_faults_page
from scripts.protocol.protocol_page import protocol_page, read_examples
from scripts.protocol.settings_forms import settings_luacats, settings_page, with_vscode_properties
from scripts.protocol.tool_files import tool_files


def generated_files(root: Path) -> dict[Path, str]:
    """Return the text of every generated file by path. `root` is the root of the repository."""
    docs, vscode, lua = root / "docs", root / "clients" / "vscode", root / "clients" / "neovim" / "lua" / "placet"
    handlers = declared_handlers()
    schema, settings = protocol_schema(handlers), settings_schema()
    package = vscode / "package.json"
    return {
        docs / "PROTOCOL.md": protocol_page(schema, read_examples(root / "tests" / "wire" / "golden")),
        vscode / "src" / "wire.ts": typescript.types(schema),
        lua / "_meta" / "wire.lua": luacats.types(schema),
        docs / "run-events.schema.json": json.dumps(run_schema(), indent=2) + "\n",
        docs / "settings.schema.json": json.dumps(settings, indent=2, ensure_ascii=False) + "\n",
        docs / "SETTINGS.md": settings_page(settings),
        lua / "_meta" / "settings.lua": settings_luacats(settings),
        package: with_vscode_properties(package.read_text("utf-8"), settings),
        **{docs / "editors" / f"{editor.name}.md": editor_page(editor) for editor in EDITORS.values()},
        docs / "MODEL-FAULTS.md": model_faults_page(),
        docs / "COMMAND-LINE.md": command_line_page(),
        **tool_files(root),
        root / "daemon/placet/frontends/lsp/protocol/method_names.py": method_names_text(handlers),
    }
