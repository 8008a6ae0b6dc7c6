"""`authenticate` and `logout`: the terminal sign-in and `placet auth` store keys; a planner needs none."""

from placet.core.executor import in_thread
from placet.frontends.acp.capabilities import STORED_KEYS
from placet.frontends.acp.connection.rpc_errors import METHOD_NOT_FOUND, RpcError, invalid_params
from placet.frontends.acp.door import Door
from placet.frontends.acp.protocol.requests import Authenticate, Message


class Logout(Message, frozen=True):
    """Params of `logout`."""


async def authenticate(door: Door, params: Authenticate) -> None:
    """Succeed at once, as a model without a key is always at hand. Raises RpcError for another method."""
    if params.method_id != STORED_KEYS:
        raise invalid_params(f"methodId: expected `{STORED_KEYS}`, and got `{params.method_id}`")


async def logout(door: Door, params: Logout) -> None:
    """Forget the keys that were stored by the terminal sign-in of clients.

    Keys of `placet auth` and of the environment stay: the user has set these elsewhere. Raises SettingsError, and
    RpcError for a client to which no logout was announced.
    """
    auth = door.profile.capabilities.auth
    if auth is None or not auth.terminal:
        raise RpcError(METHOD_NOT_FOUND, "There is no `logout` without a sign-in by terminal.")
    await in_thread(door.forget_keys)
    door.list_models()
