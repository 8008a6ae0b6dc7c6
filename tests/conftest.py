"""In which order the tests run, which of them on one worker, and how property tests are judged."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

# Rewriting the asserts of all tests takes each worker eight seconds, once.
sys.dont_write_bytecode = False

# By what they find, not by how fast a shared machine happened to be.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# What `make test-all` asks for: `corpus_support.examples` gives more of them to the tests that ask.
settings.register_profile("long", settings.get_profile("shared machine"))
settings.load_profile("shared machine")

# A model server that happens to run on this machine is none of the tests' providers: nobody listens there.
for _variable in ("OLLAMA_API_BASE", "HOSTED_VLLM_API_BASE", "LM_STUDIO_API_BASE", "LLAMAFILE_API_BASE"):
    os.environ[_variable] = "http://127.0.0.1:9/v1"

FIRST = ("vscode", "neovim", "vscode_chat", "editors", "reliability")
"""Few tests that take long, mostly waiting for another program: begun at the end they would be waited for alone."""
WINDOWS = "tests/vscode/"
"""Each is a whole VS Code in a browser, of which a machine carries one at a time."""


class Scheduling(LoadScopeScheduling):
    """The tests of a file on one worker, one after the other; all windows on one."""

    def _split_scope(self, nodeid: str) -> str:
        return WINDOWS if nodeid.startswith(WINDOWS) else nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    return Scheduling(config, log)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a test mostly waits for another program."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect the tests without the garbage collector, and keep them out of each later collection: they stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _place(item.path.parts))


def _place(parts: Sequence[str]) -> int:
    return next((place for place, name in enumerate(FIRST) if name in parts), len(FIRST))
