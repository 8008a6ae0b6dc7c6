"""Main function of the engine's process: load a model, tell the address, and serve until stdin ends.

The model host starts this process (running.py). The process ends with the host: by the end of stdin everywhere, and on
Linux by the kernel too. The first line on stdin is an Order, which holds the secret; the first line on stdout is an
Up or a Down. Either the package `xllamacpp` serves in this process, or `llama-server` in a child of this process.
"""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from placet.model.host.engine.orders import Down, Order, Report, Up, encode, read_order
from placet.model.local.engines import KEPT_MEGABYTES
from placet.project.processes.process_secrets import hide_memory
from placet.project.processes.python_child import claim_standard_streams, end_with_parent

HOST = "127.0.0.1"
_MOST_BYTES = 1 << 16
_BATCH_TOKENS = 512
"""Tokens that are read before the engine looks for a cancelled request, and tells its progress."""
_LOOKS_A_SECOND = 10
_WARNINGS = 2
"""Level of the output of llama.cpp, which goes to the log of the host."""
_HEALTH_SECONDS = 5.0


def main() -> int:
    end_with_parent(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hide_memory()
    source, target = claim_standard_streams()
    line = source.readline(_MOST_BYTES)
    if not line:
        return 0
    order = read_order(line)
    try:
        serving = _Program(order) if order.program else _Package()
        threading.Thread(target=_end_with_input, args=(source, serving), name="end", daemon=True).start()
        address = serving.start(order)
    except Exception as error:  # noqa: BLE001 - the edge: foreign code, whose failures the host tells the user
        _tell(target, Down(f"{type(error).__name__}: {error}"))
        return 1
    _tell(target, Up(address))
    return serving.wait()


def _tell(target: BinaryIO, report: Report) -> None:
    target.write(encode(report) + b"\n")


def _end_with_input(source: BinaryIO, serving: "_Package | _Program") -> None:
    while source.read(_MOST_BYTES):
        pass
    serving.kill()
    os._exit(0)


class _Package:
    """Engine of the package `xllamacpp`, in this process."""

    def __init__(self) -> None:
        self._server: Any = None

    def start(self, order: Order) -> str:
        """Load the model, and return the address. Blocks for the seconds of the load. Raises any exception."""
        import xllamacpp  # pyright: ignore[reportMissingImports] - the package of the extra `local`

        parameters = xllamacpp.CommonParams()
        parameters.model.path = order.file
        parameters.model_alias = order.name
        parameters.hostnames, parameters.port, parameters.api_keys = [HOST], 0, [order.secret]
        parameters.n_ctx, parameters.n_parallel, parameters.n_batch = order.context_size, 1, _BATCH_TOKENS
        parameters.use_jinja, parameters.ui, parameters.endpoint_slots = True, False, False
        parameters.cache_ram_mib, parameters.verbosity = KEPT_MEGABYTES, _WARNINGS
        for threads in (parameters.cpuparams, parameters.cpuparams_batch):
            threads.n_threads, threads.poll = order.threads, 0
        self._server = xllamacpp.Server(parameters)
        return self._server.listening_address

    def wait(self) -> int:
        """Serve until the process ends; the threads of the package do the work."""
        threading.Event().wait()
        return 0

    def kill(self) -> None: ...


class _Program:
    """Engine of `llama-server`, in a child of this process."""

    def __init__(self, order: Order) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._ended = False

    def start(self, order: Order) -> str:
        """Start the program, and return the address once the program listens. Raises OSError and RuntimeError."""
        port = _free_port()
        settings = {
            "LLAMA_ARG_CACHE_RAM": str(KEPT_MEGABYTES),
            "LLAMA_ARG_BATCH": str(_BATCH_TOKENS),
            "LLAMA_ARG_NO_WEBUI": "1",
            # As a variable: other users of the machine can read the arguments of a program.
            "LLAMA_API_KEY": order.secret,
        }
        arguments = (
            *(order.program, "--model", order.file, "--alias", order.name, "--host", HOST, "--port", str(port)),
            *("--ctx-size", str(order.context_size), "--parallel", "1", "--jinja"),
            *("--threads", str(order.threads), "--threads-batch", str(order.threads), "--poll", "0"),
        )
        child = self._child = subprocess.Popen(
            arguments,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            preexec_fn=None if sys.platform == "win32" else lambda: end_with_parent(0),
        )
        if self._ended:
            child.kill()
        while not (_listens(child.pid, port) and _is_loaded(port)):
            if (code := child.poll()) is not None:
                raise RuntimeError(f"{Path(order.program).name} ended with exit code {code}")
            time.sleep(1 / _LOOKS_A_SECOND)
        return f"http://{HOST}:{port}"

    def wait(self) -> int:
        """Return the exit code of the program, after its end; a signal that ended the program ends this process too."""
        assert self._child is not None
        code = self._child.wait()
        if code < 0 and sys.platform != "win32":
            signal.signal(-code, signal.SIG_DFL) if -code not in (signal.SIGKILL, signal.SIGSTOP) else None
            os.kill(os.getpid(), -code)
        return code

    def kill(self) -> None:
        self._ended = True
        if self._child is not None:
            self._child.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def _listens(process_id: int, port: int) -> bool:
    """Return whether the child itself listens: another process could have taken the port, and would get the secret."""
    import psutil

    try:
        connections = psutil.Process(process_id).net_connections("tcp")
    except (psutil.Error, OSError):
        return False
    return any(open_.status == psutil.CONN_LISTEN and open_.laddr.port == port for open_ in connections)


def _is_loaded(port: int) -> bool:
    """Return whether the program has loaded the model; before, its health is 503."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_HEALTH_SECONDS)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
