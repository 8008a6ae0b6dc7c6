"""Keys that run out are renewed once, for all who ask; what fails says to sign in again, and loses nothing."""

import asyncio
import time
from pathlib import Path

import pytest

from placet.auth.keys import KeyStore, SignIn
from placet.auth.token_refresh import TokenRefresh
from placet.core.errors import ModelError, PlacetError
from placet.core.messages import JsonObject

ACME = "ACME_API_KEY"
PLENTY_SECONDS = 300.0
"""For a machine that is busy."""
OLD, NEW, REFRESH, NEXT = "access-old", "access-new", "refresh-1", "refresh-2"


class Plugin:
    """What renews, as far as it is let."""

    def __init__(self, lasts_seconds: float = 3600) -> None:
        self.given: list[str] = []
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.fails: Exception | None = None
        self._lasts_seconds = lasts_seconds

    async def renew(self, sign_in: SignIn, tokens: JsonObject) -> JsonObject:
        assert (sign_in.provider, sign_in.plugin) == ("acme", "gateway")
        self.given.append(tokens["refresh"])
        self.asked.set()
        await self.may_answer.wait()
        if self.fails is not None:
            raise self.fails
        return {"access": NEW, "refresh": NEXT, "expires": time.time() + self._lasts_seconds}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyStore:
    """With a key that has run out."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    store = KeyStore(tmp_path / "keys.json")
    signed_in(store, lasts_seconds=-1)
    return store


def signed_in(store: KeyStore, *, lasts_seconds: float) -> None:
    expires = time.time() + lasts_seconds
    tokens = {"access": OLD, "refresh": REFRESH, "expires": expires, "account": "ada"}
    store.keep_sign_in(ACME, SignIn("acme", "gateway", expires), tokens)


def sign_ins(store: KeyStore, plugin: Plugin, *environment: str) -> TokenRefresh:
    made = TokenRefresh(store.file, environment, plugin.renew)
    made.timeout_seconds = made.close_seconds = PLENTY_SECONDS
    return made


async def test_a_key_is_renewed_once_for_all_who_ask_here_and_elsewhere(store: KeyStore) -> None:
    plugin = Plugin()
    plugin.may_answer.clear()
    here, elsewhere = sign_ins(store, plugin), sign_ins(store, plugin)
    first = asyncio.create_task(here.refresh("acme/large"))
    await plugin.asked.wait()
    elsewhere.timeout_seconds = 0.2
    with pytest.raises(ModelError, match="longer"):
        await elsewhere.refresh("acme/large")
    assert plugin.given == [REFRESH], "another process waits for the first"
    elsewhere.timeout_seconds = PLENTY_SECONDS
    others = [asyncio.create_task(one.refresh("acme/small")) for one in (here, elsewhere)]
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)

    plugin.may_answer.set()
    await asyncio.gather(*others)

    assert plugin.given == [REFRESH], "a user who stops does not stop it for the others"
    assert store.values() == ({ACME: NEW}, {})
    assert store.tokens(ACME) | {"expires": 0} == {"access": NEW, "refresh": NEXT, "account": "ada", "expires": 0}
    assert store.sign_ins()[ACME].expires > time.time() + 3000
    await here.refresh("acme/large")
    assert plugin.given == [REFRESH], "it is valid for an hour"


async def test_what_is_valid_or_set_in_the_environment_or_anothers_is_left_alone(store: KeyStore) -> None:
    plugin = Plugin()
    await sign_ins(store, plugin, ACME).refresh("acme/large")
    await sign_ins(store, plugin).refresh("other/large")
    signed_in(store, lasts_seconds=3600)
    await sign_ins(store, plugin).refresh("acme/large")
    assert plugin.given == []


async def test_what_fails_says_to_sign_in_again_and_the_next_request_tries_anew(store: KeyStore) -> None:
    plugin = Plugin()
    plugin.fails = PlacetError("the account is closed")
    here = sign_ins(store, plugin)
    for _ in range(2):
        with pytest.raises(ModelError) as failed:
            await here.refresh("acme/large")
        assert failed.value.code == "authentication"
        assert "acme" in failed.value.message
        assert "the account is closed" in failed.value.message
        assert "placet auth login acme" in failed.value.hint
    assert store.values() == ({ACME: OLD}, {})
    plugin.fails = None
    await here.refresh("acme/large")
    assert store.values() == ({ACME: NEW}, {})


async def test_a_plugin_that_hangs_is_given_up(store: KeyStore) -> None:
    plugin = Plugin()
    plugin.may_answer.clear()
    here = sign_ins(store, plugin)
    here.timeout_seconds = 0.05
    with pytest.raises(ModelError, match=r"longer than 0\.05 seconds") as failed:
        await here.refresh("acme/large")
    assert failed.value.code == "authentication"


async def test_who_signs_in_anew_or_out_meanwhile_is_not_overruled(store: KeyStore) -> None:
    for change in (lambda: store.keep(ACME, "a key"), lambda: store.forget(ACME)):
        signed_in(store, lasts_seconds=-1)
        plugin = Plugin()
        plugin.may_answer.clear()
        here = sign_ins(store, plugin)
        asking = asyncio.create_task(here.refresh("acme/large"))
        await plugin.asked.wait()
        change()
        plugin.may_answer.set()
        await asking
        assert NEW not in store.file.read_text("utf-8")


async def test_who_ends_has_what_is_under_way_kept(store: KeyStore) -> None:
    plugin = Plugin()
    plugin.may_answer.clear()
    here = sign_ins(store, plugin)
    asking = asyncio.create_task(here.refresh("acme/large"))
    await plugin.asked.wait()
    closing = asyncio.create_task(here.close())
    plugin.may_answer.set()
    await asyncio.gather(asking, closing)
    assert store.values() == ({ACME: NEW}, {})
