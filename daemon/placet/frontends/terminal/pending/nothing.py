"""Answer of `placet pending` while nothing waits: the usual answer to a script, without the models of requests."""

from placet.core.errors import StoreError
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import say, say_json
from placet.storage.database import Database
from placet.storage.requests import Requests


async def tell_nothing_waits(*, as_json: bool) -> bool:
    """Print that no request waits for an answer, and return True; return False if a request may wait."""
    database = Database(usable_locations().store)
    try:
        requests = await Requests(database, "ask").listing()
    except StoreError:  # The command reports the failure.
        return False
    finally:
        await database.close()
    if requests:
        return False
    if as_json:
        say_json([])
    else:
        say("No request waits for an answer.")
    return True
