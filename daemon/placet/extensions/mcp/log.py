"""A server's log messages in Placet's log: cut in length, and limited to as many as a person might read."""

import json
import logging
import time

from mcp.types import LoggingMessageNotificationParams

logger = logging.getLogger(__name__)

MOST_A_MINUTE = 60
MOST_CHARACTERS = 1000

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
}
"""Log level by MCP's level; every other level of MCP counts as an error."""


class ServerLog:
    def __init__(self, server: str) -> None:
        self._server = server
        self._minute = 0.0
        self._count = 0

    async def heard(self, params: LoggingMessageNotificationParams) -> None:
        moment = time.monotonic()
        if moment - self._minute >= 60:
            self._minute, self._count = moment, 0
        self._count += 1
        if self._count > MOST_A_MINUTE:
            return
        text = params.data if isinstance(params.data, str) else json.dumps(params.data, default=str)
        logger.log(_LEVELS.get(params.level, logging.ERROR), "%s says: %s", self._server, text[:MOST_CHARACTERS])
        if self._count == MOST_A_MINUTE:
            logger.warning("%s says so much that the rest of this minute is left out", self._server)
