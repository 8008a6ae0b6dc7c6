"""EDITS.md rule 1: every read is noted, whoever holds the text."""

from changes_support.desk import Desk
from placet.changes.ledger import Ledger, NoLedger
from placet.changes.propose.proposal import propose
from placet.core.ports import text_sha256
from placet.project.files.disk import read_document
from placet.text.plan import EditPlan, PlannedFile


async def test_a_read_notes_text_version_and_source(desk: Desk) -> None:
    path = desk.write("a.py", "disk\n")
    await desk.changes.read(path)
    assert [(it.source, it.version) for it in desk.ledger.documents] == [("disk", None)]
    desk.editor.open_buffer(path)
    desk.editor.type(path, "typed\n")
    await desk.changes.read(path)
    (document,) = desk.ledger.documents
    assert (document.source, document.version, document.sha256) == ("buffer", 2, text_sha256("typed\n"))


async def test_a_file_is_known_by_whichever_symlink_it_is_named(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    desk.path("link.py").symlink_to(path)
    await desk.changes.read(desk.path("link.py"))
    assert await desk.changes.base(path) == "a\n"


async def test_the_write_of_a_decision_is_no_read_of_the_session(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    ledger = NoLedger()
    plan = EditPlan("Edit a.py", (PlannedFile("modify", path, "a\n", "b\n"),))
    files = [propose(plan.files[0], read_document(path), "a.py")]
    assert await desk.accepted("t", ledger).write(plan, files, {}) is not None
    assert (desk.text("a.py"), ledger.documents) == ("b\n", ())


async def test_each_session_has_read_only_what_it_read_itself(desk: Desk) -> None:
    path = desk.write("a.py", "a\n")
    await desk.changes.read(path)
    assert Ledger().find(path) is None


async def test_what_is_forgotten_must_be_read_again(desk: Desk) -> None:
    document = await desk.changes.read(desk.write("a.py", "a\n"))
    desk.ledger.forget(document.path)
    assert desk.ledger.find(document.path) is None
