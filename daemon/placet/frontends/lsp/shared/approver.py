"""The Approver port for editors sharing sessions: all editors are asked, and the first answer ends the question
everywhere.

While no editor is connected a question waits for an editor to come, as long as the settings allow.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from placet.core.errors import NobodyToAsk
from placet.core.ports import PermissionAnswer, PermissionRequest, Question
from placet.frontends.lsp.shared.connected_editor import ConnectedEditor
from placet.frontends.lsp.shared.connected_editors import ConnectedEditors

T = TypeVar("T")
Put = Callable[[ConnectedEditor], Coroutine[Any, Any, T]]


class SharedApprover:
    def __init__(self, editors: ConnectedEditors) -> None:
        self._editors = editors

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """Ask for permission as the Approver port says."""

        def put(editor: ConnectedEditor) -> Coroutine[Any, Any, PermissionAnswer]:
            return editor.approver.request_permission(request, quietly=self._is_spared(editor))

        def put_again(editor: ConnectedEditor) -> None:
            if not self._is_spared(editor):
                editor.approver.reopen(request.id, anew=False)

        return await self._first(put, put_again, is_quiet=True)

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        """Ask questions as the Approver port says."""
        return await self._first(
            lambda editor: editor.approver.ask(session_id, questions), lambda editor: None, is_quiet=False
        )

    def _is_spared(self, editor: ConnectedEditor) -> bool:
        """Return whether the editor would stand still for a question of another editor's user, who can answer in the
        other editor.
        """
        first, *others = self._editors.in_order()
        return editor.profile.blocks_while_asking and editor is not first and bool(others)

    async def _first(self, put: Put[T], put_again: Callable[[ConnectedEditor], None], *, is_quiet: bool) -> T:
        """Return the first answer of any editor. `is_quiet`: editors to spare are told without standing still for the
        question.

        `put_again` is called with each asked editor, whenever an editor has come or gone.
        """
        asking: dict[ConnectedEditor, asyncio.Task[T]] = {}
        with self._editors.watched() as changed:
            try:
                while True:
                    changed.clear()
                    connected = self._editors.in_order()
                    to_spare = {editor for editor in connected if self._is_spared(editor)}
                    if all(
                        editor in asking and asking[editor].done() for editor in connected if editor not in to_spare
                    ):
                        to_spare = set()  # The other editors cannot ask.
                    for editor in connected:
                        if editor in asking:
                            put_again(editor)
                        elif editor not in to_spare or is_quiet:
                            asking[editor] = asyncio.create_task(put(editor))
                    await self._wait(asking, changed, connected)
                    for task in asking.values():
                        if task.done() and task.exception() is None:
                            return task.result()
                    self._check_hope(asking)
            finally:
                for task in asking.values():
                    task.cancel()
                await asyncio.gather(*asking.values(), return_exceptions=True)

    async def _wait(
        self, asking: dict[ConnectedEditor, asyncio.Task[T]], changed: asyncio.Event, connected: list[ConnectedEditor]
    ) -> None:
        """Wait until a question may be answered, or an editor comes or goes. Raises NobodyToAsk when no editor comes in
        time.
        """
        news = asyncio.create_task(changed.wait())
        try:
            open_asks = [task for task in asking.values() if not task.done()]
            seconds = None if connected else self._editors.answer_seconds
            done, _ = await asyncio.wait([news, *open_asks], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
        if not done:
            raise NobodyToAsk(f"No editor has come back to answer within {self._editors.answer_seconds:.0f} seconds.")

    def _check_hope(self, asking: dict[ConnectedEditor, asyncio.Task[T]]) -> None:
        """Raise NobodyToAsk when editors are connected, and none of the editors can ask."""
        connected = self._editors.in_order()
        failed = [asking[editor] for editor in connected if editor in asking and asking[editor].done()]
        if connected and len(failed) == len(connected) and (error := failed[0].exception()) is not None:
            raise error
