"""Service for the daemon's orders: load, call, hook, cancel; requests from a running call go back to the daemon."""

import asyncio
import itertools
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from placet.extensions.worker import entries
from placet.extensions.worker.channel import Channel
from placet.extensions.worker.entries import Offer
from placet.extensions.worker.login import Logins
from placet.extensions.worker.modules import GivenModule, GivenModules
from placet.extensions.worker.threads import Failure, called, in_own_thread
from placet.plugins import PluginContext
from placet.tools.framework.api import BlockingToolContext, CallFacts, Refused, ToolContext

Order = dict[str, Any]


class Unfit(Exception):
    """Error when the model's arguments do not fit the tool."""


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[None]
    abort: threading.Event = field(default_factory=threading.Event)


class Service:
    def __init__(self, channel: Channel, loop: asyncio.AbstractEventLoop) -> None:
        self._channel = channel
        self._loop = loop
        self._running: dict[int, _Running] = {}
        self._tools: dict[str, Any] = {}
        self._hooks: dict[tuple[str, str], list[entries.Hook]] = {}
        self._logins = Logins()
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)

    def take(self, order: Order) -> None:
        match order:
            case {"cancel": int(number)}:
                if running := self._running.get(number):
                    running.abort.set()
                    running.task.cancel()
            case {"reply": int(number)}:
                if (asked := self._asked.pop(number, None)) is not None and not asked.done():
                    _settle(asked, order)
            case {"number": int(number)}:
                abort = threading.Event()
                task = self._loop.create_task(self._do(number, order, abort))
                self._running[number] = _Running(task, abort)
                task.add_done_callback(lambda _: self._running.pop(number, None))
            case _:
                raise AssertionError(f"not an order: {order}")

    async def _do(self, number: int, order: Order, abort: threading.Event) -> None:
        """Execute an order at the edge: every outcome becomes the single answer."""
        try:
            done = await self._result(number, order, abort)
            answer: Order = {"number": number, "done": done}
            self._channel.send(answer)
        except (asyncio.CancelledError, SystemExit, KeyboardInterrupt) as error:
            self._fail(number, "failed", f"{type(error).__name__}: {error}")
        except Unfit as error:
            self._fail(number, "unfit", str(error))
        except Refused as error:
            self._fail(number, "refused", str(error))
        except Exception as error:  # noqa: BLE001
            self._fail(number, "failed", described(error))

    def _fail(self, number: int, kind: str, message: str) -> None:
        self._channel.send({"number": number, "failed": kind, "message": message})

    async def _result(self, number: int, order: Order, abort: threading.Event) -> Any:
        match order["do"]:
            case "modules":
                GivenModules({name: GivenModule(**module) for name, module in order["modules"].items()}).install()
                return None
            case "load":
                return await in_own_thread(self._load, order)
            case "call":
                return await self._call(number, order, abort)
            case "hook":
                return await self._hook(order)
            case "login":
                return await self._logins.step(self._hooks.get((order["key"], "auth"), ()), order)
            case unknown:
                raise AssertionError(f"not to be done: {unknown}")

    def _load(self, order: Order) -> Order:
        """Import an entry, and return its offer."""
        from placet.extensions.worker.parameters import tool_function

        key = order["key"]
        context = PluginContext(
            order["name"], Path(order["directory"]), Path(order["worktree"]), order.get("options", {})
        )
        match order["kind"]:
            case "tool":
                offer = entries.tools_of(order["module"])
            case "plugin":
                offer = entries.plugin_of(order["module"], context)
            case _:
                offer = entries.package_of(order["name"], context)
        return self._taken(key, offer, tool_function)

    def _taken(self, key: str, offer: Offer, ready: Callable[[Callable[..., Any]], Any]) -> Order:
        tools: list[Order] = []
        for name, function in offer.tools.items():
            try:
                tool = ready(function)
                schema = tool.model.model_json_schema()
            except Exception as error:  # noqa: BLE001 - a faulty tool must not take the other tools with it
                offer.notes.append(f"The tool `{name}` is left out: {error}")
                continue
            self._tools[f"{key}:{name}"] = tool
            tools.append({"key": f"{key}:{name}", "name": name, "description": tool.description, "schema": schema})
        for hook, functions in offer.hooks.items():
            self._hooks[key, hook] = functions
        return {"tools": tools, "hooks": list(offer.hooks), "notes": offer.notes}

    async def _call(self, number: int, order: Order, abort: threading.Event) -> Any:
        from pydantic import ValidationError

        from placet.extensions.worker.parameters import result_data

        tool = self._tools[order["tool"]]
        try:
            arguments = tool.arguments(order["arguments"])
        except ValidationError as error:
            issues = error.errors(include_url=False, include_context=False)
            raise Unfit(
                "; ".join(f"{'.'.join(map(str, issue['loc'])) or 'input'}: {issue['msg']}" for issue in issues)
            ) from error
        if tool.context:
            arguments[tool.context] = self._context(number, order["facts"], abort, is_async=tool.is_async)
        if tool.is_async:
            return result_data(await tool.function(**arguments))
        return result_data(await in_own_thread(tool.function, **arguments))

    async def _hook(self, order: Order) -> Order:
        output: Order = order["output"]
        for function in self._hooks.get((order["key"], order["hook"]), ()):
            given = await called(function, order["input"], output)
            if given is not None:
                if not isinstance(given, dict):
                    raise TypeError(f"a hook gives a dict or nothing, not {type(given).__name__}")
                output = given
        if order["hook"] == "provider" and callable(models := output.get("models")):
            provider = order["input"]["providers"].get(output.get("id"), {})
            output = {**output, "models": await called(models, provider)}
        return output

    def _context(
        self, number: int, facts: Order, abort: threading.Event, *, is_async: bool
    ) -> ToolContext | BlockingToolContext:
        call_facts = CallFacts(
            facts["session"],
            facts["message"],
            facts["call"],
            facts["agent"],
            Path(facts["directory"]),
            Path(facts["worktree"]),
            facts["model"],
        )
        tell = partial(self._tell, number)
        if is_async:
            return ToolContext(call_facts, abort, tell, partial(self._ask, number))

        def wait(request: str, arguments: Any) -> Any:
            return asyncio.run_coroutine_threadsafe(self._ask(number, request, arguments), self._loop).result()

        return BlockingToolContext(call_facts, abort, tell, wait)

    def _tell(self, number: int, kind: str, arguments: Any) -> None:
        self._channel.send({"for": number, "tell": kind, "arguments": dict(arguments)})

    async def _ask(self, number: int, request: str, arguments: Any) -> Any:
        asked = next(self._numbers)
        answer = self._asked[asked] = self._loop.create_future()
        self._channel.send({"for": number, "ask": request, "arguments": dict(arguments), "asked": asked})
        try:
            return await answer
        finally:
            self._asked.pop(asked, None)


def _settle(asked: asyncio.Future[Any], reply: Order) -> None:
    match reply:
        case {"refused": str(message)}:
            asked.set_exception(Refused(message))
        case {"failed": str(message)}:
            asked.set_exception(OSError(message))
        case _:
            asked.set_result(reply.get("done"))


def described(error: BaseException) -> str:
    """Return the error's text, and the line of the extension's code that raised the error."""
    if isinstance(error, Failure):
        return str(error)
    text = str(error)
    summary = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):
        return summary
    own = str(Path(__file__).parent)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((own, "<frozen", str(Path(asyncio.__file__).parent)))
    ]
    return f"{summary} ({frames[-1].filename}:{frames[-1].lineno})" if frames else summary
