"""Pages that an answer opens: in the browser by the editor, or named in a message."""

from pathlib import Path
from typing import Any

import pytest

from fake_editor.memory import MemoryPeer
from fake_editor.profiles import PLAIN, VSCODE
from placet.core.ports import Question, QuestionOption
from placet.frontends.lsp.asks.approver import LspApprover
from time_support import limited

PAGE = "https://example.org/x"
QUESTION = Question("Sign", "Open it?", (QuestionOption("Open", opens=PAGE), QuestionOption("No")), custom=False)


@pytest.mark.parametrize(("chosen", "opened"), [("Open", [{"uri": PAGE, "external": True}]), ("No", []), (None, [])])
async def test_a_page_is_opened_once_the_user_has_chosen_so_and_never_before(
    chosen: str | None, opened: list[Any], tmp_path: Path
) -> None:
    peer = MemoryPeer(VSCODE, tmp_path)

    def answer(_: Any) -> Any:
        assert peer.editor.requests_of("window/showDocument") == []
        return {"answers": chosen and [[chosen]]}

    peer.editor.on_question = answer
    async with limited(lambda: f"the answer; the editor was told last {peer.editor.told[-3:]}"):
        await LspApprover(peer, reviews=tmp_path).ask("ses_1", [QUESTION])
    assert peer.editor.requests_of("window/showDocument") == opened


async def test_an_editor_that_opens_no_pages_is_told_the_address(tmp_path: Path) -> None:
    peer = MemoryPeer(PLAIN, tmp_path)
    peer.editor.on_message = lambda _: "Open"
    async with limited(lambda: f"the answer; the editor was told last {peer.editor.told[-3:]}"):
        await LspApprover(peer, reviews=tmp_path).ask("ses_1", [QUESTION])
        await peer.editor.wait_until(lambda: bool(peer.editor.told))
    assert peer.editor.told == [("window/showMessage", {"type": 3, "message": f"Placet: as you chose, open {PAGE}"})]
