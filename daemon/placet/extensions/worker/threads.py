"""Blocking code in a new thread, because code that never returns must not block a pool's thread."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any


class Failure(Exception):
    """Error of extension code, in words: SystemExit and similar errors must not pass as such."""


async def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of an extension's function, `async def` or not. Raises the same errors as `in_own_thread`."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    given = await in_own_thread(function, *arguments)
    return await given if inspect.isawaitable(given) else given


async def in_own_thread(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Run the function in a new thread and return the result. Raises the function's Exception, or else Failure.

    On cancellation, still wait for the end of the thread: a call is not over while the thread runs.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            result = context.run(function, *arguments, **named)
        except StopIteration as error:
            outcome = Failure(f"StopIteration: {error}")
        except Exception as error:  # noqa: BLE001 - the edge to the user's code
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
