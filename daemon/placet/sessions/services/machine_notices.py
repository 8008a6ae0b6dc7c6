"""Notices for the user about this machine: each is shown once, by whichever front end meets the cause first."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from placet.core.executor import in_thread
from placet.project.files.private_file import PrivateFile

logger = logging.getLogger(__name__)

Show = Callable[[str], bool]
"""Function that shows a message, and returns whether a user is there to see the message."""


class MachineNotices:
    """Notices of one front end; the services own the object until the end of the front end.

    A file keeps the last notice of each subject, so that a later start does not repeat the notice.
    """

    def __init__(self, path: Path) -> None:
        self._file = PrivateFile(path)
        self._subscribers: list[Show] = []
        self._last: dict[str, str] = {}
        """Last notice of each subject in this process."""

    def subscribe(self, show: Show) -> None:
        """Call `show` with each notice that the user has to see."""
        self._subscribers.append(show)

    async def tell(self, subject: str, notice: str) -> None:
        """Show the notice, unless the user has seen the same notice of the subject; "" says that the cause is gone."""
        if self._last.get(subject) == notice:
            return
        self._last[subject] = notice
        if (await in_thread(self._read)).get(subject, "") == notice:
            return
        if notice:
            users = [show(notice) for show in self._subscribers]
            if not any(users):
                del self._last[subject]
                return
        await in_thread(self._write, subject, notice)

    def _write(self, subject: str, notice: str) -> None:
        """Make the notice the subject's last notice. Blocks."""
        try:
            notices = {**self._read(), subject: notice}
            self._file.write(json.dumps(notices, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            logger.warning("%s cannot be written, and a notice will come again: %s", self._file.path, error)

    def _read(self) -> dict[str, str]:
        try:
            content: Any = json.loads(self._file.read() or "{}")
        except (OSError, ValueError) as error:
            logger.warning("%s cannot be read, and a notice may come again: %s", self._file.path, error)
            return {}
        return cast("dict[str, str]", content) if isinstance(content, dict) else {}
