"""`authenticate`: the keys are stored by `placet auth`, and a session without a key has the built-in planner."""

from placet.frontends.acp.capabilities import STORED_KEYS
from placet.frontends.acp.connection.rpc_errors import invalid_params
from placet.frontends.acp.door import Door
from placet.frontends.acp.protocol.requests import Authenticate


async def authenticate(door: Door, params: Authenticate) -> None:
    """Succeed at once, as a model without a key is always at hand. Raises RpcError for another method."""
    if params.method_id != STORED_KEYS:
        raise invalid_params(f"methodId: expected `{STORED_KEYS}`, and got `{params.method_id}`")
