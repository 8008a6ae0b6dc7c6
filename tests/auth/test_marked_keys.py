"""Keys that were given at the sign-in of a client."""

from pathlib import Path

import pytest

from placet.auth import keys
from placet.auth.keys import KeyStore, SignIn


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyStore:
    monkeypatch.setattr(keys, "has_keyring", lambda: False)
    return KeyStore(tmp_path / "keys.json")


def test_a_renewed_key_of_a_client_is_still_the_clients(store: KeyStore) -> None:
    before, after = (SignIn("acme", "gateway", float(expires)) for expires in (1, 2))
    store.keep_sign_in("ACME_API_KEY", before, {"access": "a"})
    store.mark("ACME_API_KEY")
    assert store.renew_sign_in("ACME_API_KEY", before, after, {"access": "b"})
    assert store.sign_ins() == {"ACME_API_KEY": after}
    assert store.forget_marked() == ("ACME_API_KEY",)
    assert store.places() == {}


def test_a_key_that_is_gone_is_not_marked(store: KeyStore) -> None:
    store.mark("ACME_API_KEY")
    store.keep("ACME_API_KEY", "a")
    assert store.forget_marked() == ()
    assert store.places() == {"ACME_API_KEY": "file"}
