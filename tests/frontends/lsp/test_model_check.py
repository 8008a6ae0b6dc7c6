"""`agent/models/check`: a key is proved by one call, and the keys of a sign-in count at once, with the real host."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lsp_link.links import OurLink
from placet.auth.keys import KeyStore
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.settings import Locations, load_settings
from wire_servers.answers import Status, Text
from wire_servers.server import WireServer

MODEL = "groq/llama-3.3-70b-versatile"


@asynccontextmanager
async def _editor(directory: Path, api_base: str) -> AsyncGenerator[OurLink]:
    locations = Locations(*(directory / name for name in ("config", "data", "cache", "log")))
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    host = ModelHost(environment=environment, keys=locations.keys)

    async def open_them(ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        return await open_sessions(ports(settings), roots, settings, locations, host)

    link = OurLink(open_them)
    settings = {"model": MODEL, "modelOptions": {"apiBase": api_base}}
    await link.start(rootUri=directory.as_uri(), initializationOptions={"agent": {"protocol": 1}, "settings": settings})
    try:
        yield link
    finally:
        await link.stop()
        await host.close()


async def test_a_check_says_whether_the_model_answers_and_the_list_knows_a_new_key_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    async with WireServer([]) as server, _editor(tmp_path, server.openai_base) as link:

        async def check() -> dict[str, Any]:
            return (await link.call("agent/models/check", {"model": MODEL}))["result"]

        async def count() -> int:
            return (await link.call("agent/models", {"query": "groq", "limit": 1}))["result"]["total"]

        assert await count() == 1

        KeyStore(tmp_path / "config" / "keys.json").keep("GROQ_API_KEY", "gsk_" + "right0" * 6)
        assert await count() > 1
        server.play([(Status(401, "Invalid API Key"),), (Text("OK"),)])
        rejected = await check()
        assert (rejected["outcome"], rejected["code"]) == ("failed", "authentication")
        assert "rejected the key (401)" in rejected["message"]
        assert await check() == {"outcome": "answered"}
        assert len(server.requests) == 2
        assert max(server.requests[-1].body.get(name, 0) for name in ("max_tokens", "max_completion_tokens")) <= 16
        assert (await link.call("agent/session/list", {}))["result"]["sessions"] == []
