"""The index beside the store names the folders whose sessions have changes to review."""

import json
from pathlib import Path

import pytest

from change_set_support import DONE, GO, decide, edit, read, whole
from placet.storage.review_index import NAME
from services_support import TempServices


@pytest.mark.parametrize("review", ["ask", "stage", "apply"])
async def test_the_index_follows_the_change_set_from_the_edit_to_the_decision(tmp_path: Path, review: str) -> None:
    services = TempServices(tmp_path)
    for name in ("a.txt", "b.txt"):
        (services.project / name).write_text(f"{name} 1\n{name} 2\n")
    edits = [step for name in ("a.txt", "b.txt") for step in (read(name), edit(name, 1, "new\n"))]
    async with services.open(services.script(*edits, DONE), review=review) as sessions:
        index = services.locations.store.with_name(NAME)

        def waiting() -> list[int]:
            folders = json.loads(index.read_text("utf-8"))["folders"]
            return [folders[uri]["files"] for uri in folders if uri == services.project.as_uri()]

        session = await sessions.create(title="t")
        assert waiting() == []
        await session.prompt(GO)
        assert waiting() == ([] if review == "ask" else [2])
        views = await session.change_set.views()
        if views:
            await decide(session, whole(views[0], "accept"))
            assert waiting() == [1]
            await decide(session, whole(views[1], "reject"))
            assert waiting() == []
