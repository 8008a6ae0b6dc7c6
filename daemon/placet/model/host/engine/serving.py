"""Service of the local models: one engine with one model, started at the first request, and one request at a time."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from placet.core.errors import ModelError
from placet.core.executor import in_thread
from placet.model import frames
from placet.model.client.idle_timer import IdleTimer
from placet.model.client.restarts import Restarts
from placet.model.host.catalog.served_sizes import memory_bytes
from placet.model.host.engine.orders import KEY_VARIABLE
from placet.model.hosted import is_inside
from placet.model.local.catalog import MODELS, LocalModel, model_of, size_text
from placet.model.local.engines import (
    HOW_TO_INSTALL,
    core_count,
    find_engine,
    fitting_size,
    needed_bytes,
    planned_size,
    thread_count,
)
from placet.model.local.files import LocalFiles, LocalModelError
from placet.settings.provider_kinds import LOCAL

if TYPE_CHECKING:
    from placet.model.host.engine.running import Engine

Tell = Callable[[list[frames.Piece]], None]
_WIRE = "llamafile"
"""Kind of the provider by which llama.cpp's server is asked."""
_ALIVE_SECONDS = 10.0
"""Pause between the signs of life while a request waits for its turn, or for the engine."""
_DEATH_SECONDS = 1.0
"""Seconds from a broken connection to the end of a dying process."""
SERVER = "Placet itself, on this machine"


class LocalEngine:
    """Engine of the model host. Belongs to one loop, and lives as long as the host.

    `directory` is Placet's own directory for the files of models; without a directory there are no local models.
    """

    def __init__(self, directory: Path | None, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._files = None if directory is None else LocalFiles(directory, environment)
        self._engine: Engine | None = None
        self._turn = asyncio.Lock()
        self._idle = IdleTimer(0.0, self._let_go)
        self._restarts = Restarts()
        self._ending: set[asyncio.Task[None]] = set()
        self._listeners: dict[object, Tell] = {}
        """Requests that wait for the engine: a title may be asked for before the user's prompt."""
        self._loading = ""
        """Notice of the load under way."""

    async def offered(self) -> list[frames.ModelFacts]:
        """Return the models with a file on this machine, if this machine has an engine."""
        return await in_thread(self._offered)

    def facts(self, name: str) -> frames.ModelFacts | None:
        """Return the facts of the model `local/NAME`: the size of a running engine, or the size to be chosen."""
        if self._files is None or (model := model_of(name)) is None:
            return None
        if (engine := self._engine) is not None and engine.model == model:
            return _facts(model, engine.context_size, "served by Placet's own engine")
        return _facts(model, planned_size(model, memory_bytes()), "chosen by the memory of this machine")

    @asynccontextmanager
    async def serving(self, ask: frames.Ask, tell: Tell) -> AsyncGenerator[frames.Ask]:
        """Yield the ask as the engine is asked, within the turn of the ask; any other ask stays as it is.

        `tell` takes notices for the user, and empty lists as signs of life. Raises ModelError, also for the death of
        the engine in the block.
        """
        if not is_inside(ask.model, ask.provider and ask.provider.kind):
            yield ask
            return
        self._idle.limit(ask.engine.idle_seconds)
        with self._idle.in_use():
            async with AsyncExitStack() as turn:
                async with self._told(tell):
                    await turn.enter_async_context(self._turn)
                    engine = await self._running(ask)
                try:
                    yield _asked(ask, engine)
                    self._restarts.worked()
                except Exception as error:
                    if isinstance(error, ModelError) or (death := await engine.death(_DEATH_SECONDS)) is None:
                        raise
                    self._restarts.died()
                    raise death from error

    async def close(self) -> None:
        """End the engine."""
        self._idle.stop()
        self._let_go()
        await asyncio.gather(*self._ending)

    @property
    def process_id(self) -> int | None:
        """Return the process id of the engine, or None if no engine runs."""
        return None if self._engine is None or self._engine.has_ended else self._engine.process_id

    async def _running(self, ask: frames.Ask) -> "Engine":
        """Return an engine with the model of the ask, and with the daemon's size of the context."""
        model = model_of(ask.model)
        if model is None or self._files is None:
            raise ModelError(
                "not_found", f"Placet has no local model `{ask.model}`.", hint="`placet models --local` lists them."
            )
        planned = planned_size(model, memory_bytes())
        wanted = min(ask.context_size or planned, model.trained_size)
        if (engine := self._engine) is not None:
            if not engine.has_ended and engine.model == model and wanted <= max(engine.context_size, engine.wanted):
                return engine
            self._engine = None
            await engine.end()
        if wait_seconds := self._restarts.wait_seconds:
            raise ModelError(
                "host_died",
                f"The engine for local models ended {self._restarts.deaths} times in a row. Placet starts no new "
                f"engine for {wait_seconds:.0f} seconds.",
                hint="See the log `model-host.log` for the reason, then send the prompt again.",
                retry_after=wait_seconds,
            )
        try:
            self._engine = await self._start(model, self._files, wanted, ask.engine.threads)
        except ModelError as error:
            if error.code == "host_died":
                self._restarts.died()
            raise
        finally:
            self._loading = ""
        return self._engine

    async def _start(self, model: LocalModel, files: LocalFiles, wanted: int, threads: int | None) -> "Engine":
        from placet.model.host.engine.running import Engine  # Most hosts start no engine.

        program = await in_thread(find_engine, self._environment)
        if program is None:
            raise ModelError("not_found", "There is no engine for local models.", hint=HOW_TO_INSTALL)
        if await in_thread(files.needs_reading, model):
            self._say(f"Checking the file of {model.title} once ({size_text(model.size_bytes)}).")
        try:
            file = await in_thread(files.checked, model)
        except LocalModelError as error:
            raise ModelError("not_found", str(error), hint=error.hint) from error
        if file is None:
            raise ModelError(
                "not_found",
                f"The file of {model.title} is not on this machine.",
                hint=f"`placet models pull {model.name}` fetches the file ({size_text(model.size_bytes)}).",
            )
        size = fitting_size(model, wanted, await in_thread(_available_bytes))
        if size is None:
            raise ModelError(
                "not_found",
                f"There is too little free memory for {model.title}: about "
                f"{size_text(needed_bytes(model, min(wanted, 4096)))} are needed.",
                hint="Close other programs, or choose another model.",
            )
        self._say(f"Loading {model.title} into memory, about {size_text(needed_bytes(model, size))}.")
        count = threads or thread_count(core_count(), _load())
        return await Engine.start(program, model, file.path, size, count, wanted)

    @asynccontextmanager
    async def _told(self, tell: Tell) -> AsyncGenerator[None]:
        """Tell the request of a load, and give signs of life, within the block."""

        async def beat() -> None:
            while True:
                tell([])
                await asyncio.sleep(_ALIVE_SECONDS)

        me, beating = object(), asyncio.create_task(beat(), name="signs of life")
        self._listeners[me] = tell
        try:
            if self._loading:
                tell([_notice(self._loading)])
            yield
        finally:
            beating.cancel()
            del self._listeners[me]

    def _say(self, message: str) -> None:
        """Tell all waiting requests, also those to come while the load is under way."""
        self._loading = message
        for tell in self._listeners.values():
            tell([_notice(message)])

    def _offered(self) -> list[frames.ModelFacts]:
        files = self._files
        if files is None:
            return []
        there = [model for model in MODELS if files.find(model) is not None]
        if not there or find_engine(self._environment) is None:
            return []
        facts = [self.facts(model.full_name) for model in there]
        return [msgspec.structs.replace(known, server=SERVER) for known in facts if known is not None]

    def _let_go(self) -> None:
        """End an idle engine; a request meanwhile gets a new engine."""
        if self._engine is not None:
            task = asyncio.create_task(self._engine.end(), name="idle engine")
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
            self._engine = None


def _asked(ask: frames.Ask, engine: "Engine") -> frames.Ask:
    """Return the ask as a request to a server of the user's own, with the secret of the engine as its key."""
    provider = frames.Provider(
        LOCAL,
        _WIRE,
        engine.address,
        f"{{env:{KEY_VARIABLE}}}",
        models=[_facts(engine.model, engine.context_size, "", name=engine.model.name)],
    )
    # The progress of the reading is a sign of life: the engine says nothing else before the first word.
    own = {"return_progress": True, "cache_prompt": True, **ask.options.get("extra_body", {})}
    return msgspec.structs.replace(
        ask,
        provider=provider,
        api_base=None,
        effort=None,
        transport="auto",
        headers={},
        options={**ask.options, "extra_body": own},
    )


def _facts(model: LocalModel, context_size: int, source: str, name: str = "") -> frames.ModelFacts:
    return frames.ModelFacts(
        name or model.full_name,
        context_size,
        vision=False,
        tools=True,
        documents=False,
        efforts=[],
        context_source=source,
    )


def _notice(message: str) -> frames.Notice:
    return frames.Notice("local_engine", message)


def _available_bytes() -> int:
    import psutil  # Needed at the start of an engine alone.

    return psutil.virtual_memory().available


def _load() -> float:
    """Return the processes that worked or waited for a core within the last minute; 0 where the system cannot tell."""
    return os.getloadavg()[0] if sys.platform != "win32" else 0.0
