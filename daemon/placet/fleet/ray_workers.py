"""Workers on a cluster of Ray, or on a Ray of this machine alone: a remote function for each task.

Ray distributes the tasks and starts a task of a dead worker or node again; the result, stored by the worker, keeps a
task from being done twice. Orders hold no keys: each worker uses the key store of its node, and this process drops the
keys in its environment before a Ray of its own inherits the environment.
"""

import atexit
import os
import secrets
import socket
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, cast

from placet.core.errors import PlacetError, RequestError
from placet.fleet.results import Result
from placet.fleet.work import Order, place_failed, work
from placet.project.processes.process_secrets import take_secrets

_CRASHES = 3
"""Ends of a task's worker or node after which the task counts as failed by the place."""

_CONNECT_SECONDS = 10.0


def run_ray(orders: Sequence[Order], address: str | None, workers: int) -> Iterator[Result]:
    """Yield the results as the tasks end; without an address, on a Ray of this machine with so many workers.

    Raises RequestError without Ray, or without a cluster at the address.
    """
    if address is None:
        take_secrets()  # The processes of a Ray of our own inherit the environment; a cluster has its own.
        _protect()  # Before the import, in which Ray reads its variables.
    ray = _ray()
    # Without `local`, Ray would join a cluster that runs on this machine already.
    where = {"address": "local", "num_cpus": workers} if address is None else {"address": address}
    try:
        if address is not None:
            _reach(address)
        ray.init(**where, include_dashboard=None if address else False, log_to_driver=False, configure_logging=False)
    except (OSError, RuntimeError, ValueError) as error:
        words = getattr(error, "strerror", None) or error
        raise RequestError(f"No cluster of Ray at {address or 'this machine'}: {words}") from error
    try:
        remote = ray.remote(num_cpus=1, max_retries=_CRASHES)(_work)
        waiting = {remote.remote(order): order for order in orders}
        while waiting:
            (ended, *_), _ = ray.wait(list(waiting), num_returns=1)
            yield _result(ray, ended, waiting.pop(ended))
    finally:
        ray.shutdown()
        if (colors := sys.modules.get("colorama.initialise")) is not None:
            atexit.unregister(colors.reset_all)  # At the exit it would write a control, which stdout shows as a sign.


def _protect() -> None:
    """Have a Ray of our own ask for a token: its ports are open to the network, whatever address Ray is given."""
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)  # Otherwise Ray writes a token that other users may read.


def _reach(address: str) -> None:
    """Connect to the address once, as Ray tries a wrong address for minutes. Raises OSError."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()


def _work(order: Order) -> Result:
    return work(order)


def _result(ray: Any, reference: Any, order: Order) -> Result:
    try:
        return cast("Result", ray.get(reference))
    except ray.exceptions.RayTaskError as error:
        return place_failed(order, "worker", str(error.cause))
    except ray.exceptions.RayError as error:
        return place_failed(order, type(error).__name__, attempts=_CRASHES + 1)


def _ray() -> Any:
    try:
        return import_module("ray")  # Not imported by name, as the checks of types run without Ray.
    except ModuleNotFoundError as error:
        raise PlacetError("Ray is not installed: install `placet[ray]`.") from error
