"""`placet models` at a real terminal, and its picture for docs/MODELS.md."""

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

from demo.screen import GREEN, Screen
from run_support import Place, Terminal
from wire_servers.server import WireServer

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "models.svg"
CLAUDE = ("claude-opus-4-7", "claude-sonnet-4-5", "claude-haiku-4-5")
LISTED = ("gpt-5.4", "gpt-5.4-mini")
HOUSE = {"contextSize": 262_144, "tools": True, "inputPrice": 0.3, "outputPrice": 1.2}


def written(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(content))


async def test_the_list_at_a_terminal_of_100_columns_has_marks_sizes_prices_and_abilities_and_is_drawn(
    tmp_path: Path,
) -> None:
    picture = PICTURE if os.environ.get("PLACET_UPDATE_IMAGES") == "1" else tmp_path / "models.svg"
    place = Place(tmp_path)
    keys = [name for name in place.environment if name.endswith(("_API_KEY", "_API_BASE"))]
    for name in keys:
        del place.environment[name]
    place.environment |= {"CORP_API_KEY": "key-of-corp", "CHATGPT_API_KEY": "signed-in"}
    async with WireServer() as corp, WireServer() as gateway:
        corp.listed = {"data": [{"id": name} for name in CLAUDE]}
        gateway.listed = {"data": [{"id": name} for name in LISTED]}
        providers = {
            "corp": {"kind": "anthropic", "apiBase": corp.anthropic_base, "key": "CORP_API_KEY"},
            "gateway": {"apiBase": gateway.openai_base, "key": False, "models": {"qwen3-coder": HOUSE}},
            "workshop": {"apiBase": "http://127.0.0.1:9/v1", "key": False},
        }
        written(tmp_path / "CONFIG/placet/placet.json", {"providers": providers})
        written(
            tmp_path / "DATA/placet/models.json",
            {"favourite": ["corp/claude-opus-4-7"], "recent": ["gateway/qwen3-coder"]},
        )
        terminal = Terminal(place, "models", knows_cwd=False)
        assert await asyncio.to_thread(terminal.end) == 0

    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.shown).replace("\r", "")
    rows = [line.split() for line in text.splitlines()]
    assert rows[0] == ["model", "context", "$", "in", "$", "out", "abilities"]
    assert rows[1] == ["*", "corp/claude-opus-4-7", "1M", "5", "25", "tools", "image", "pdf", "think"]
    assert rows[2] == ["+", "gateway/qwen3-coder", "262k", "0.3", "1.2", "tools"]
    named = {row[0] for row in rows[3:] if row}
    assert {f"corp/{name}" for name in CLAUDE[1:]} | {f"gateway/{name}" for name in LISTED} <= named
    assert {tuple(row[2:4]) for row in rows if row and row[0].startswith("chatgpt/")} == {("covered", "covered")}
    assert "workshop: it cannot be reached" in text
    assert "key-of-corp" not in text

    screen = Screen()
    screen.say("$ placet models", GREEN)
    screen.pass_on(terminal.shown)
    screen.save_picture(picture, "placet models")
    drawn = picture.read_text("utf-8")
    assert "<svg" in drawn
    assert all(name in drawn for name in (*CLAUDE, *LISTED))
    assert re.search(r"""(url\(|href=|src=)["']?https?:""", drawn) is None, "nothing comes from elsewhere"
