"""Every file is judged by its own name and by what it links to, whichever tool looks at it."""

from pathlib import Path

import pytest

from placet.core.errors import PermissionDenied, ToolError
from placet.tools import glob, grep, listing, read
from tools_support.workbench import Workbench


@pytest.fixture
def secrets(bench: Workbench) -> Path:
    """A directory that the rules refuse, which goes by the name `s` as well."""
    bench.permission = {"read": {"secrets/*": "deny"}}
    bench.write("secrets/key.txt", "SECRET=2\n")
    bench.write("secrets/deep/key.txt", "SECRET=3\n")
    (bench.root / "s").symlink_to("secrets")
    return bench.root / "s"


async def test_search_does_not_look_through_a_link_at_what_reading_asks_about(bench: Workbench) -> None:
    bench.write(".env", "SECRET=1\n")
    (bench.root / "notes.txt").symlink_to(".env")
    with pytest.raises(ToolError, match="was not searched"):
        await bench.run(grep.TOOL, pattern="SECRET", path="notes.txt")
    await bench.run(read.TOOL, filePath="notes.txt")
    assert bench.user.asked == [("read", ("notes.txt", ".env"))]


async def test_search_does_not_look_through_a_linked_directory_at_what_may_not_be_read(
    bench: Workbench, secrets: Path
) -> None:
    for path in ("s", "s/deep", str(secrets)):
        assert (await bench.run(grep.TOOL, pattern="SECRET", path=path)).output == "No matches found."
    with pytest.raises(ToolError, match="was not searched"):
        await bench.run(grep.TOOL, pattern="SECRET", path="s/key.txt")
    assert (await bench.run(grep.TOOL, pattern="SECRET", include="s/*")).output == "No matches found."


async def test_unsaved_text_is_judged_by_what_its_file_links_to(bench: Workbench) -> None:
    bench.write(".env", "old\n")
    (bench.root / "notes.txt").symlink_to(".env")
    bench.documents.type(bench.root / "notes.txt", "SECRET=1\n")
    assert (await bench.run(grep.TOOL, pattern="SECRET")).output == "No matches found."
    with pytest.raises(ToolError, match="was not searched"):
        await bench.run(grep.TOOL, pattern="SECRET", path="notes.txt")


@pytest.mark.usefixtures("secrets")
async def test_names_of_what_may_not_be_read_are_not_told_through_a_linked_directory(bench: Workbench) -> None:
    bench.write("seen.txt", "x\n")
    assert (await bench.run(glob.TOOL, pattern="**/*", path="s")).output == "No files found."
    assert (await bench.run(glob.TOOL, pattern="s/*.txt")).output == "No files found."
    assert (await bench.run(glob.TOOL, pattern="**/*")).output == str(bench.root / "seen.txt")
    assert "key" not in (await bench.run(listing.TOOL, path="s")).output


async def test_a_directory_is_read_without_the_names_of_what_may_not_be_read(bench: Workbench, secrets: Path) -> None:
    (secrets / "fine").symlink_to("../seen.txt")
    bench.write("seen.txt", "x\n")
    (bench.root / "renamed.txt").symlink_to("secrets/key.txt")
    whole = (await bench.run(read.TOOL, filePath=".")).output
    assert "seen.txt\n" in whole
    assert "renamed.txt" not in whole
    for path in ("secrets", "s"):
        assert "key" not in (await bench.run(read.TOOL, filePath=path)).output


async def test_a_link_that_leads_nowhere_secret_is_searched_and_read(bench: Workbench) -> None:
    bench.write("src/a.txt", "needle\n")
    (bench.root / "here").symlink_to("src")
    (bench.root / "one.txt").symlink_to("src/a.txt")
    assert "Found 1 match\n" in (await bench.run(grep.TOOL, pattern="needle", path="here")).output
    assert "Found 1 match\n" in (await bench.run(grep.TOOL, pattern="needle", path="one.txt")).output
    assert str(bench.root / "here/a.txt") in (await bench.run(glob.TOOL, pattern="here/*")).output
    assert bench.user.asked == []


async def test_a_workspace_that_is_opened_by_a_link_is_searched_by_the_names_in_it(bench: Workbench) -> None:
    bench.write("secrets/key.txt", "SECRET=2\n")
    bench.write("seen.txt", "SECRET=no\n")
    bench.permission = {"read": {"secrets/*": "deny"}}
    link = bench.root.parent / "opened"
    link.symlink_to(bench.root)
    bench.root = link
    assert "Found 1 match\n" in (await bench.run(grep.TOOL, pattern="SECRET")).output
    assert (await bench.run(glob.TOOL, pattern="**/*")).output == str(link / "seen.txt")


async def test_a_denied_directory_outside_is_denied_from_the_root_of_the_disk_too(bench: Workbench) -> None:
    bench.permission = {"external_directory": "allow", "read": {f"{bench.root.parent}/hidden/*": "deny"}}
    hidden = bench.root.parent / "hidden"
    hidden.mkdir()
    (hidden / "key.txt").write_text("SECRET=4\n")
    (bench.root / "out").symlink_to(hidden)
    for path in ("out", str(hidden), str(bench.root.parent)):
        assert (await bench.run(grep.TOOL, pattern="SECRET", path=path)).output == "No matches found."
    with pytest.raises(PermissionDenied):
        await bench.run(read.TOOL, filePath="out/key.txt")
