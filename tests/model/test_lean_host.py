"""What the model host loads, and how large it is: seen from outside, in the real process."""

import re
from pathlib import Path

import psutil
import pytest

from corpus_support import corpus
from model_support.asking import answer, text_of
from placet.auth.keys import KeyStore
from placet.model.client.host import ModelHost
from placet.settings import Settings
from wire_servers.answers import Text
from wire_servers.certificates import self_signed
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAVY = {
    *("litellm", "openai", "anthropic", "mcp", "aiohttp", "httpx", "httpx2", "pydantic", "keyring", "filelock"),
    *("requests", "tokenizers", "tiktoken", "jinja2", "yaml", "jsonschema", "psutil", "rich", "pygls"),
}
MOST_MIB = 60
WIRES = {
    "openai/gpt-4o": "openai_base",
    "anthropic/claude-sonnet-4-5": "anthropic_base",
    "openai/responses/gpt-5": "openai_base",
    "groq/llama-3.3-70b-versatile": "openai_base",
}


def imported(log: Path) -> set[str]:
    """The packages whose import Python told on stderr."""
    names = re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", log.read_text(), re.MULTILINE)
    return {name.partition(".")[0] for name in names}


@corpus("scheme", ["http", "https"])
async def test_a_host_that_has_served_calls_over_the_common_wires_is_small(tmp_path: Path, scheme: str):
    context, file = self_signed(tmp_path)
    log = tmp_path / "log"
    environment = {"PYTHONPROFILEIMPORTTIME": "1", "SSL_CERT_FILE": str(file)}
    keys = {f"{name}_API_KEY": "none" for name in ("OPENAI", "ANTHROPIC", "GROQ")}
    host = ModelHost(environment=environment | keys, keys=tmp_path / "keys.json", log=log)
    async with WireServer(tls=context if scheme == "https" else None) as server:
        for name, base in WIRES.items():
            for text in ("hi", "x" * 1_000_000):
                server.play([(Text(text, pieces=100),)])
                settings = Settings.model_validate({"modelOptions": {"apiBase": getattr(server, base)}})
                assert text_of(await answer(host.model(name, settings))) == text
                assert host.transport(name) == "fast"
        assert host.process_id is not None
        size = psutil.Process(host.process_id).memory_info().rss / 2**20
        await host.close()

    packages = imported(log)
    assert {"asyncio", "placet", "httptools"} <= packages, "the log tells of imports"
    assert packages & HEAVY == set()
    assert size < MOST_MIB


async def test_a_keyring_is_loaded_for_a_key_in_the_keyring_alone(tmp_path: Path):
    KeyStore(tmp_path / "keys.json").keep("GROQ_API_KEY", "a-key-of-the-file")
    host = ModelHost(environment={"PYTHONPROFILEIMPORTTIME": "1"}, keys=tmp_path / "keys.json", log=tmp_path / "log")
    await host.ready()
    await host.close()

    assert "placet" in imported(tmp_path / "log")
    assert imported(tmp_path / "log") & {"keyring", "filelock", "cryptography"} == set()
