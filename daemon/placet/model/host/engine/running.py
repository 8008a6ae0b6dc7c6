"""Life of one engine: the process from its start to its end. Belongs to the model host's loop."""

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from placet.core.errors import ModelError
from placet.model.host.engine import orders
from placet.model.host.redaction import remember
from placet.model.local.catalog import LocalModel
from placet.model.local.engines import EngineProgram
from placet.project.processes.child import ManagedChild, python_command

_START_SECONDS = 300.0
_CLOSE_SECONDS = 1.0
_PASSED_ON = frozenset(
    {
        *("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "WINDIR", "TEMP", "TMP", "TMPDIR", "LANG", "LC_ALL"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE"),
    }
)
"""Variables for the start of a program."""
_PASSED_ON_STARTS = ("CUDA_", "HIP_", "ROCR_", "HSA_", "GGML_", "VK_", "OMP_")
"""Beginnings of the variables of graphics cards and of llama.cpp's arithmetic."""


class Engine:
    """Running engine with one model. The owner calls `end`."""

    def __init__(self, child: ManagedChild, model: LocalModel, context_size: int, wanted: int, address: str) -> None:
        self.model = model
        self.context_size = context_size
        self.wanted = wanted
        """Size wanted at the start; the memory may have allowed only the smaller `context_size`."""
        self.address = address
        """Address of the interface of OpenAI's kind."""
        self._child = child
        self._waiting = asyncio.create_task(child.wait(), name="engine")

    @classmethod
    async def start(
        cls, program: EngineProgram, model: LocalModel, file: Path, context_size: int, threads: int, wanted: int
    ) -> "Engine":
        """Start the engine, and return once the model is loaded. Raises ModelError; a cancelled start ends the process.

        The secret is in the memory of the host and of the engine alone.
        """
        secret = secrets.token_urlsafe(32)
        remember(secret)
        order = orders.Order(model.name, str(file), context_size, threads, secret, program.path)
        command = python_command(
            "placet.model.host.engine.process", directory=sys.prefix, environment=engine_environment(os.environ)
        )
        try:
            child = await ManagedChild.start_python(command, log=None)
        except OSError as error:
            raise ModelError(
                "host_died",
                f"The engine for local models cannot be started: {error}.",
                hint="Check the Python installation that Placet uses.",
            ) from error
        try:
            child.stdin.write(orders.encode(order) + b"\n")
            async with asyncio.timeout(_START_SECONDS):
                line = await child.stdout.readline()
            if not line:
                await child.wait()
                raise ended(child.exit_code, "while it loaded the model")
            match orders.read_report(line):
                case orders.Up(address):
                    os.environ[orders.KEY_VARIABLE] = secret
                    return cls(child, model, context_size, wanted, f"{address}/v1")
                case orders.Down(reason):
                    raise _unloadable(model, reason)
        except TimeoutError:
            await child.end()
            raise _unloadable(model, f"it took longer than {_START_SECONDS:g} seconds") from None
        except BaseException:
            await child.end()
            raise

    @property
    def process_id(self) -> int:
        return self._child.process_id

    @property
    def has_ended(self) -> bool:
        return self._waiting.done()

    async def death(self, seconds: float) -> ModelError | None:
        """Return the error if the process has ended, or ends within the seconds; None for a living engine."""
        await asyncio.wait((self._waiting,), timeout=seconds)
        return ended(self._child.exit_code, "during the answer") if self.has_ended else None

    async def end(self) -> None:
        """End the process: close the input, and kill the process if the process does not end in time."""
        await self._child.end(input_seconds=_CLOSE_SECONDS)
        await self._waiting


def engine_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for the engine: no key, and no setting of llama.cpp."""
    return {
        name: value
        for name, value in environment.items()
        if name.upper() in _PASSED_ON or name.upper().startswith(_PASSED_ON_STARTS)
    }


def ended(code: int | None, when: str) -> ModelError:
    """Return the error about an engine's own end, with the remedy."""
    hint = "See the end of `model-host.log` for the reason, then send the prompt again: that starts a new engine."
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        if name == "SIGKILL":
            hint = (
                "The system may lack memory: close other programs, or set a smaller `contextSize` for the model "
                "(docs/MODELS.md). Then send the prompt again: that starts a new engine."
            )
        cause = f"killed by {name}"
    else:
        cause = f"exit code {code}"
    return ModelError("host_died", f"The engine for local models ended {when} ({cause}).", hint=hint)


def _unloadable(model: LocalModel, reason: str) -> ModelError:
    return ModelError(
        "not_found",
        f"The engine cannot load {model.title}: {reason}.",
        hint="See the end of `model-host.log` for details.",
    )
