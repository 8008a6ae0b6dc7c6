"""Login by a plugin (hook `auth`): the methods, a login step by step, and the renewal of tokens.

Only the daemon receives the results.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from placet.extensions.worker.entries import Hook
from placet.extensions.worker.threads import called
from placet.project.processes.process_secrets import hide_memory

TOKENS = ("access", "refresh", "expires")

Order = dict[str, Any]


class Logins:
    """Logins of one process."""

    def __init__(self) -> None:
        self._methods: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        self._callbacks: dict[str, tuple[str, Callable[..., Any]]] = {}
        self._renewals: dict[tuple[str, str], Callable[..., Any]] = {}

    async def step(self, functions: Sequence[Hook], order: Order) -> Order:
        """Do a step: `ways`, then `begin` of a method, then `end` if the method gave a URL; or `renew` after `ways`.

        Raises the plugin's errors.
        """
        hide_memory()  # From the commands of tools, which are processes of the same user.
        key = order["key"]
        match order["step"]:
            case "ways":
                return await self._ways(key, functions)
            case "begin":
                provider, method = self._methods[key][order["method"]]
                return await self._begun(key, provider, method, order["inputs"])
            case "end":
                provider, callback = self._callbacks.pop(key)
                code = order["code"]
                return self._outcome(key, provider, await called(callback, *([] if code is None else [code])))
            case "renew":
                provider = order["provider"]
                return self._outcome(key, provider, await called(self._renewals[key, provider], order["tokens"]))
            case unknown:
                raise AssertionError(f"no step of a login: {unknown}")

    async def _ways(self, key: str, functions: Sequence[Hook]) -> Order:
        ways: list[Order] = []
        methods = self._methods[key] = []
        for function in functions:
            output: Order = {"provider": "", "methods": []}
            if (given := await called(function, {}, output)) is not None:
                output = {**output, **given}
            if callable(renew := output.get("renew")):
                self._renewals[key, output["provider"]] = renew
            for method in output["methods"]:
                facts = {name: method.get(name) for name in ("type", "label", "prompts") if method.get(name)}
                is_asked_for = not callable(method.get("authorize"))
                ways.append({"provider": output["provider"], "method": len(methods), "isKey": is_asked_for, **facts})
                methods.append((output["provider"], method))
        return {"ways": ways, "renews": [provider for function_key, provider in self._renewals if function_key == key]}

    async def _begun(self, key: str, provider: str, method: Mapping[str, Any], inputs: Order) -> Order:
        made = await called(method["authorize"], inputs)
        if not isinstance(made, Mapping) or "url" not in made:
            return self._outcome(key, provider, made)
        begun = cast("Mapping[str, Any]", made)
        callback = begun.get("callback")
        if not callable(callback):
            raise TypeError("what `authorize` gives with a `url` has a function `callback`")
        self._callbacks[key] = provider, callback
        wants_code = begun.get("method", "code") == "code"
        return {"url": begun["url"], "instructions": begun.get("instructions") or "", "wantsCode": wants_code}

    def _outcome(self, key: str, provider: str, given: object) -> Order:
        """Return a key, or tokens, or the reason for a failure. Raises TypeError for any other value."""
        match given:
            case str(key_itself) | {"type": "success", "key": str(key_itself)} if key_itself.strip():
                return {"key": key_itself}
            case {"type": "failed", **more}:
                return {"failed": str(cast("Order", more).get("message") or "it did not succeed")}
            case {"access": _, **more} if more.get("type", "success") == "success":
                if (key, provider) not in self._renewals:
                    raise TypeError("tokens that run out need a function `renew` in the hook `auth`")
                return {"tokens": {name: value for name, value in cast("Order", given).items() if name != "type"}}
            case {"type": "success"}:
                raise TypeError(f"a login that succeeds gives a `key`, or {', '.join(TOKENS)}")
            case _:
                raise TypeError("a login gives a key, or a dict with `type`: `success` or `failed`")
