"""A plugin's ways to log in (its hook `auth`), and one login step by step. What comes of it is told to nobody else."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from placet.extensions.worker.entries import Hook
from placet.extensions.worker.threads import called

Order = dict[str, Any]


class Logins:
    """Of one process."""

    def __init__(self) -> None:
        self._methods: dict[str, list[Mapping[str, Any]]] = {}
        self._callbacks: dict[str, Callable[..., Any]] = {}

    async def step(self, functions: Sequence[Hook], order: Order) -> Order:
        """`ways`, then `begin` of one of them, then, where that leads elsewhere, `end`. Raises what plugins raise."""
        key = order["key"]
        match order["step"]:
            case "ways":
                return await self._ways(key, functions)
            case "begin":
                method = self._methods[key][order["method"]]
                return await self._begun(key, method, order["inputs"])
            case "end":
                callback, code = self._callbacks.pop(key), order["code"]
                return _outcome(await called(callback, *([] if code is None else [code])))
            case unknown:
                raise AssertionError(f"no step of a login: {unknown}")

    async def _ways(self, key: str, functions: Sequence[Hook]) -> Order:
        ways: list[Order] = []
        methods = self._methods[key] = []
        for function in functions:
            output: Order = {"provider": "", "methods": []}
            if (given := await called(function, {}, output)) is not None:
                output = {**output, **given}
            for method in output["methods"]:
                told = {name: method.get(name) for name in ("type", "label", "prompts") if method.get(name)}
                is_asked_for = not callable(method.get("authorize"))
                ways.append({"provider": output["provider"], "method": len(methods), "isKey": is_asked_for, **told})
                methods.append(method)
        return {"ways": ways}

    async def _begun(self, key: str, method: Mapping[str, Any], inputs: Order) -> Order:
        made = await called(method["authorize"], inputs)
        if not isinstance(made, Mapping) or "url" not in made:
            return _outcome(made)
        begun = cast("Mapping[str, Any]", made)
        callback = begun.get("callback")
        if not callable(callback):
            raise TypeError("what `authorize` gives with a `url` has a function `callback`")
        self._callbacks[key] = callback
        wants_code = begun.get("method", "code") == "code"
        return {"url": begun["url"], "instructions": begun.get("instructions") or "", "wantsCode": wants_code}


def _outcome(given: object) -> Order:
    """A key, or why there is none. Raises TypeError for neither."""
    match given:
        case str(key) | {"type": "success", "key": str(key)} if key.strip():
            return {"key": key}
        case {"type": "failed", **more}:
            return {"failed": str(cast("Order", more).get("message") or "it did not succeed")}
        case {"type": "success"}:
            raise TypeError("a login that succeeds gives a `key`; what has to be renewed cannot be kept")
        case _:
            raise TypeError("a login gives a key, or a dict with `type`: `success` or `failed`")
