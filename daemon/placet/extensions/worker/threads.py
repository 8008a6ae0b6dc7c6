"""Blocking code in a thread of its own, as one that never returns must not take a pool's."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any


class Failure(Exception):
    """What code that was brought raised, in words: SystemExit and the like must not travel as such."""


async def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of brought code gives, `async def` or not. Raises as `in_own_thread`."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    given = await in_own_thread(function, *arguments)
    return await given if inspect.isawaitable(given) else given


async def in_own_thread(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What it gives. Raises what it raises, other than an Exception as Failure.

    Cancelled, it waits for the thread's end all the same: as long as that runs, the call is not over.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            result = context.run(function, *arguments, **named)
        except StopIteration as error:
            outcome = Failure(f"StopIteration: {error}")
        except Exception as error:  # noqa: BLE001 - the edge to code that was brought
            outcome = error
        except BaseException as error:  # noqa: BLE001 - sys.exit ends the call, not the process
            outcome = Failure(f"{type(error).__name__}: {error}")
        else:
            loop.call_soon_threadsafe(done.set_result, result)
            return
        loop.call_soon_threadsafe(done.set_exception, outcome)

    threading.Thread(target=run, daemon=True, name=getattr(function, "__name__", "brought")).start()
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await asyncio.wait((done,))
        done.exception()
        raise
