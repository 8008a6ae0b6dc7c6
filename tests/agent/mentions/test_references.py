"""What a prompt points at, as the model is shown it, over real files."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from language_server_support.no_features import NoFeatures
from placet.agent.mentions.reference_context import ReferenceContext
from placet.agent.mentions.references import as_steering, attach_references
from placet.changes.ledger import Ledger
from placet.changes.review.seen_tree import SeenTree
from placet.changes.review.staged_file import UndecidedFile
from placet.core.messages import AgentPart, DiagnosticsPart, FilePart, LineRange, Message, Part, TextPart, UserMessage
from placet.core.ports import Diagnostic, DiagnosticsReport, Document, FeatureAnswer
from placet.project.files.disk import DiskDocuments
from placet.project.paths import Workspace
from time_support import limited

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


class Screen(DiskDocuments):
    """The disk, and what is open and not saved."""

    def __init__(self) -> None:
        super().__init__()
        self.open: dict[Path, str] = {}

    async def read(self, path: Path) -> Document:
        text = self.open.get(path)
        return await super().read(path) if text is None else Document(path, text, "buffer", version=1, dirty=True)

    async def unsaved(self) -> list[Document]:
        return [await self.read(path) for path in self.open]


class Seen(Screen):
    """The screen as a session sees it, with staged texts."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self.screen = screen

    async def read(self, path: Path) -> Document:
        return await (super() if path in self.open else self.screen).read(path)

    async def unsaved(self) -> list[Document]:
        return [*await super().unsaved(), *await self.screen.unsaved()]

    async def staged_paths(self) -> list[Path]:
        return list(self.open)

    async def tree(self) -> SeenTree:
        return SeenTree(UndecidedFile("modify", path, "", text) for path, text in self.open.items())


class Servers(NoFeatures):
    """Language servers that answer as the test says."""

    def __init__(self) -> None:
        self.report: DiagnosticsReport | None = None
        self.answers: dict[str, Any] = {}

    async def diagnostics(
        self, paths: Sequence[Path] | None, *, after: Any = None, timeout_seconds: float = 3.0
    ) -> DiagnosticsReport:
        return self.report or await super().diagnostics(paths, after=after, timeout_seconds=timeout_seconds)

    async def request(self, method: str, params: Any, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        if method not in self.answers:
            return FeatureAnswer("noProvider")
        return FeatureAnswer("ok", self.answers[method], ("a server",))


class Desk:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.screen = Screen()
        self.servers = Servers()
        self.ledger = Ledger()
        self.roots = [root]
        self.denied: set[str] = set()
        self.history: list[Message] = []
        self.seen = Seen(self.screen)

    def stage(self, path: Path, text: str) -> None:
        self.seen.open[path] = text

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    async def attach(self, *parts: Part | str, with_mentions: bool = True) -> tuple[Part, ...]:
        surroundings = ReferenceContext(
            workspace=Workspace(tuple(self.roots)),
            documents=self.screen,
            features=self.servers,
            ledger=self.ledger,
            judge=lambda permission, name: "deny" if name in self.denied else "allow",
            subagents=lambda: ("explore", "general"),
            history=lambda: self.history,
            seen=self.seen,
        )
        given = [TextPart(text=part) if isinstance(part, str) else part for part in parts]
        return await attach_references(given, surroundings, with_mentions=with_mentions)

    async def said(self, *parts: Part | str) -> str:
        """What Placet adds to the prompt, as text."""
        attached = await self.attach(*parts)
        return "\n\n".join(part.text for part in attached if isinstance(part, TextPart) and part.synthetic)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    root = tmp_path / "project"
    root.mkdir()
    return Desk(root)


# ---------------------------------------------------------------- files


async def test_a_mentioned_file_comes_with_its_lines_and_as_a_part(desk: Desk) -> None:
    path = desk.write("src/a.py", "one\r\ntwo\r\n")
    text, file, shown = await desk.attach("What is @src/a.py?")
    assert text == TextPart(id=text.id, text="What is @src/a.py?")
    assert (file.uri, file.name) == (path.as_uri(), "a.py")
    assert shown.text == "The user attached src/a.py:\n<content>\n1: one\n2: two\n</content>"
    assert desk.ledger.find(path) is not None


@pytest.mark.parametrize("written", ["@a.txt#L2-3", "@a.txt#2-3", "@a.txt#L2-L3.", '@"a.txt"#2-3', "(@a.txt#2-3)"])
async def test_mentioned_lines_are_the_ones_that_are_shown(desk: Desk, written: str) -> None:
    desk.write("a.txt", "one\ntwo\nthree\nfour\n")
    assert (
        await desk.said(written) == "The user attached lines 2 to 3 of a.txt:\n<content>\n2: two\n3: three\n</content>"
    )


async def test_an_attached_file_with_a_staged_change_is_shown_as_the_session_sees_the_file(desk: Desk) -> None:
    path = desk.write("a.txt", "one\ntwo\n")
    desk.stage(path, "one\nstaged\n")
    assert await desk.said("@a.txt") == (
        "The user attached a.txt, with your staged change, which the user has not accepted yet:\n"
        "<content>\n1: one\n2: staged\n</content>"
    )
    noted = desk.ledger.find(path)
    assert noted is not None
    assert noted.text == "one\nstaged\n"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("@a.txt#1", "lines 1 to 1 of a.txt, with your staged change, {}:\n<content>\n1: one\n</content>"),
        ("@a.txt#3-4", "lines 4 to 5 of a.txt, with your staged change, {}:\n<content>\n4: three\n5: four\n</content>"),
    ],
)
async def test_selected_lines_outside_of_the_staged_change_are_the_same_lines_of_the_staged_text(
    desk: Desk, written: str, shown: str
) -> None:
    path = desk.write("a.txt", "one\ntwo\nthree\nfour\n")
    desk.stage(path, "one\nnew\nnewer\nthree\nfour\n")
    assert await desk.said(written) == "The user attached " + shown.format("which the user has not accepted yet")
    assert desk.ledger.find(path) is not None


@pytest.mark.parametrize("written", ["@a.txt#2", "@a.txt#1-2", "@a.txt#2-4", "@a.txt#1-4"])
async def test_selected_lines_with_a_staged_change_are_the_lines_on_the_users_screen(desk: Desk, written: str) -> None:
    path = desk.write("a.txt", "one\ntwo\nthree\nfour\n")
    desk.stage(path, "one\nnew\nnewer\nthree\nfour\n")
    said = await desk.said(written)
    assert "of a.txt, as the user sees the file: without your staged change:" in said
    assert "2: two" in said
    assert "new" not in said
    assert desk.ledger.find(path) is None


async def test_attached_diagnostics_are_said_to_be_without_the_staged_change(desk: Desk) -> None:
    path, other = desk.write("a.txt", "one\n"), desk.write("b.txt", "one\n")
    desk.stage(path, "staged\n")
    desk.servers.report = DiagnosticsReport((), frozenset((path, other)), "a server")
    assert "without your staged changes" in await desk.said("@diagnostics:a.txt")
    assert "without your staged changes" in await desk.said("@diagnostics")
    assert "without your staged changes" not in await desk.said("@diagnostics:b.txt")


async def test_lines_that_are_not_there_are_said(desk: Desk) -> None:
    desk.write("a.txt", "one\n")
    assert "1: one" in await desk.said("@a.txt#1-9")
    assert await desk.said("@a.txt#7") == "The user attached line 7 of a.txt, which has 1 lines."


async def test_a_file_whose_name_ends_like_lines_is_that_file(desk: Desk) -> None:
    desk.write("a#1", "sharp\n")
    desk.write("a", "flat\n")
    assert "1: sharp" in await desk.said("@a#1")


async def test_names_with_spaces_home_and_other_roots_are_found(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("my notes/a b.md", "in quotes\n")
    home = desk.root.parent / "home"
    home.mkdir()
    (home / "n.md").write_text("at home\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    other = desk.root.parent / "other"
    other.mkdir()
    (other / "b.md").write_text("elsewhere\n")
    desk.roots.append(other)
    said = await desk.said('@"my notes/a b.md" @~/n.md @b.md')
    assert all(text in said for text in ("1: in quotes", "1: at home", "1: elsewhere"))


async def test_unsaved_text_is_shown_as_it_is_on_screen(desk: Desk) -> None:
    path = desk.write("a.txt", "saved\n")
    new = desk.root / "new.txt"
    desk.screen.open = {path: "typed\n", new: "never saved\n"}
    said = await desk.said("@a.txt and @new.txt")
    assert "a.txt, with changes that are not saved:\n<content>\n1: typed" in said
    assert "1: never saved" in said


async def test_what_the_user_points_at_needs_no_permission(desk: Desk) -> None:
    desk.write(".env", "KEY=1\n")
    desk.denied = {".env"}
    assert "1: KEY=1" in await desk.said("why is @.env wrong")


async def test_what_a_model_has_written_points_at_nothing(desk: Desk) -> None:
    desk.write(".env", "KEY=1\n")
    assert len(await desk.attach("@.env", with_mentions=False)) == 1
    assert len(await desk.attach(TextPart(text="@.env", synthetic=True))) == 1


async def test_a_mention_of_nothing_stays_text(desk: Desk) -> None:
    text = f"@nobody @no/such.py @property a@b.c @{'x' * 300}/y @\0 @symbol:nothing @diagnostics:gone.py @/ @symbol:1"
    assert len(await desk.attach(text)) == 1


async def test_each_thing_is_shown_once(desk: Desk) -> None:
    path = desk.write("a.txt", "one\n")
    attached = await desk.attach(FilePart(uri=path.as_uri()), "@a.txt and @./a.txt and @a.txt again")
    assert sum(isinstance(part, TextPart) and "1: one" in part.text for part in attached) == 1


async def test_the_instructions_above_a_mentioned_file_come_with_it_once(desk: Desk) -> None:
    near = desk.write("deep/AGENTS.md", "Use tabs.\n")
    desk.write("deep/a.py", "a\n")
    desk.write("deep/b.py", "b\n")
    said = await desk.said("@deep/a.py @deep/b.py")
    assert said.count(f"Instructions from {near}:\nUse tabs.") == 1


async def test_a_long_file_is_a_page_and_says_how_to_go_on(desk: Desk) -> None:
    desk.write("long.txt", "".join(f"{number}\n" for number in range(3000)))
    said = await desk.said("@long.txt")
    assert "2000: 1999\n(Lines 1-2000 of 3000. Use offset=2001 to read on.)\n</content>" in said


async def test_a_prompt_does_not_bring_more_than_a_conversation_can_bear(desk: Desk) -> None:
    names = [desk.write(f"{number}.txt", f"{'x' * 99}\n" * 400).name for number in range(8)]
    said = await desk.said(" ".join(f"@{name}" for name in names))
    assert len(said) < 210_000
    assert "7.txt, which finds no room here any more" in said


async def test_a_notebook_is_shown_as_its_cells(desk: Desk) -> None:
    cells = [{"cell_type": "code", "source": ["print(1)"], "outputs": [], "metadata": {}}]
    desk.write("n.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    assert '<cell number="1" type="code">\nprint(1)\n</cell>' in await desk.said("@n.ipynb")


async def test_foreign_bytes_are_shown_and_a_binary_is_said(desk: Desk) -> None:
    desk.write("latin.txt", "gr\xfc\xdfe\n".encode("latin-1"))
    desk.write("prog", b"\x7fELF\0\0\0")
    said = await desk.said("@latin.txt @prog")
    assert "1: grüße" in said
    assert "it can be read, but not edited" in said
    assert "prog, but it cannot be read: it is binary, an ELF program" in said


async def test_a_directory_is_listed(desk: Desk) -> None:
    desk.write("src/a.py", "")
    desk.write("src/deep/b.py", "")
    desk.write("src/.env", "")
    desk.denied = {"src/.env"}
    for part in ("@src/", "@src", FilePart(uri=(desk.root / "src").as_uri(), mime="inode/directory")):
        said = await desk.said(part)
        assert "The user attached the directory src:" in said
        assert "  deep/\n    b.py\n  a.py" in said
        assert ".env" not in said


async def test_a_file_that_is_attached_and_not_there_is_said(desk: Desk) -> None:
    assert "gone.txt, but it cannot be read" in await desk.said(FilePart(uri=(desk.root / "gone.txt").as_uri()))


async def test_a_waiting_pipe_keeps_nobody_waiting(desk: Desk) -> None:
    import os

    os.mkfifo(desk.root / "pipe")
    async with limited(lambda: "the words about a pipe"):
        assert "not a regular file" in await desk.said("@pipe")


# ---------------------------------------------------------------- images


def images(parts: Sequence[Part]) -> list[FilePart]:
    return [part for part in parts if isinstance(part, FilePart) and part.uri.startswith("data:")]


@pytest.mark.parametrize("by_part", [True, False])
async def test_an_image_becomes_data_whatever_it_is_called(desk: Desk, by_part: bool) -> None:
    path = desk.write("pic.txt", PNG)
    attached = await desk.attach(FilePart(uri=path.as_uri()) if by_part else "see @pic.txt")
    [image] = images(attached)
    assert (image.mime, image.name) == ("image/png", "pic.txt")
    assert base64.b64decode(image.uri.partition(",")[2]) == PNG


async def test_an_image_that_the_model_has_before_it_is_not_stored_again(desk: Desk) -> None:
    desk.write("pic.png", PNG)
    attached = await desk.attach("see @pic.png")
    desk.history.append(UserMessage(parts=attached))
    again = await desk.attach("see @pic.png")
    assert images(again) == []
    assert "unchanged since it was attached before" in again[-1].text
    desk.write("pic.png", PNG + b"more")
    assert len(images(await desk.attach("see @pic.png"))) == 1


async def test_an_image_that_is_too_large_is_said(desk: Desk) -> None:
    desk.write("pic.png", PNG + bytes(4_000_000))
    attached = await desk.attach("see @pic.png")
    assert images(attached) == []
    assert "no more than 3.75 MB can be sent" in attached[-1].text
    sent = FilePart(uri="data:image/png;base64," + "A" * 6_000_000, mime="image/png", name="pic.png")
    [note] = await desk.attach(sent)
    assert isinstance(note, TextPart)
    assert "too large to be shown" in note.text


# ---------------------------------------------------------------- names in the code

SHAPES = "import os\n\n\nclass Box:\n    def open(self):\n        return 1\n\n\ndef close(box):\n    return 0\n"


async def test_a_name_brings_its_definition(desk: Desk) -> None:
    desk.write("shapes.py", SHAPES)
    said = await desk.said("what does @close do")
    assert said.startswith("`close`, which the user names, is defined at shapes.py:9.")
    assert "lines 9 to 10 of shapes.py:\n<content>\n9: def close(box):\n10:     return 0\n</content>" in said


@pytest.mark.parametrize("written", ["@symbol:Box", "@Box", "@Box's", "(@Box)"])
async def test_a_name_is_found_in_every_spelling(desk: Desk, written: str) -> None:
    desk.write("shapes.py", SHAPES)
    assert "lines 4 to 6 of shapes.py" in await desk.said(written)


async def test_of_several_definitions_the_candidates_are_listed(desk: Desk) -> None:
    desk.write("shapes.py", SHAPES)
    desk.write("doors.py", "def close():\n    pass\n")
    assert await desk.said("@close") == (
        "`close`, which the user names, may be any of these:\ndoors.py:1: def close():\nshapes.py:9: def close(box):"
    )


async def test_language_servers_are_asked_first_and_only_the_exact_name_counts(desk: Desk) -> None:
    path = desk.write("main.zig", "fn greet() void {}\n\nfn greeting() void {\n    greet();\n}\n")

    def symbol(name: str, line: int, container: str = "") -> dict[str, Any]:
        span = {"start": {"line": line, "character": 3}, "end": {"line": line, "character": 8}}
        return {"name": name, "kind": 12, "location": {"uri": path.as_uri(), "range": span}, "containerName": container}

    whole = {"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 1}}
    desk.servers.answers = {
        "workspace/symbol": [symbol("greet", 0), symbol("greeting()", 2, "main.Greeter")],
        "textDocument/documentSymbol": [{"name": "greeting()", "kind": 12, "range": whole, "selectionRange": whole}],
    }
    assert "lines 3 to 5 of main.zig" in await desk.said("@greeting")
    assert "lines 3 to 5 of main.zig" in await desk.said("@symbol:Greeter.greeting")
    assert await desk.said("@Other.greeting") == ""


async def test_a_name_is_not_shown_out_of_what_may_not_be_read(desk: Desk) -> None:
    desk.write("secret.py", "def hidden():\n    return 'x'\n")
    desk.denied = {"secret.py"}
    assert await desk.said("@hidden") == ""


async def test_a_file_goes_before_an_agent_and_an_agent_before_a_name(desk: Desk) -> None:
    desk.write("code.py", "def explore():\n    pass\n\n\ndef general():\n    pass\n")
    desk.write("general", "a file\n")
    assert "call the tool `task`" in await desk.said("@explore where is it")
    assert "1: a file" in await desk.said("@general")


# ---------------------------------------------------------------- agents and diagnostics


async def test_an_agent_part_asks_for_a_task(desk: Desk) -> None:
    part = AgentPart(name="explore")
    attached = await desk.attach(part, "@explore")
    assert attached[0] == part
    assert attached[1].text == (
        "The user wants the subagent `explore` for this: call the tool `task` with it, and tell it all it needs."
    )
    assert len(attached) == 3
    assert len(await desk.attach(AgentPart(name="build"))) == 1


def problem(path: Path, line: int, severity: Any = 1, message: str = "Wrong.") -> Diagnostic:
    return Diagnostic(path, line, 4, line, 5, severity, message, source="pyright", code="x")


@pytest.mark.parametrize("by_part", [True, False])
async def test_diagnostics_come_by_place(desk: Desk, by_part: bool) -> None:
    a, b = desk.write("a.py", "x\n"), desk.root / "b.py"
    found = (problem(b, 0), problem(a, 9, 2, "Two\nlines."), problem(a, 1, 4))
    desk.servers.report = DiagnosticsReport(found, frozenset((a, b)), provider="editor")
    assert await desk.said(DiagnosticsPart() if by_part else "mend @diagnostics.") == (
        "The user attached the diagnostics (from editor):\n<diagnostics>\n"
        "a.py:2:5 hint Wrong. [pyright x]\na.py:10:5 warning Two lines. [pyright x]\n"
        "b.py:1:5 error Wrong. [pyright x]\n"
        "</diagnostics>"
    )


@pytest.mark.parametrize("by_part", [True, False])
async def test_diagnostics_of_one_file_say_how_far_they_can_be_believed(desk: Desk, by_part: bool) -> None:
    path = desk.write("a.py", "x\n")
    part = DiagnosticsPart(uri=path.as_uri()) if by_part else "@diagnostics:a.py"
    desk.servers.report = DiagnosticsReport((problem(path, 0),), frozenset(), provider="editor")
    assert (await desk.said(part)).endswith("</diagnostics>\n(They may be outdated.)")
    desk.servers.report = DiagnosticsReport((), frozenset((path,)), provider="editor")
    assert "of a.py (from editor):\n<diagnostics>\n(None are known.)\n</diagnostics>" in await desk.said(part)
    desk.servers.report = None
    assert "no language server here knows any of it" in await desk.said(part)


async def test_of_very_many_diagnostics_the_gravest_are_shown(desk: Desk) -> None:
    path = desk.write("a.py", "x\n")
    found = (*(problem(path, line, 2) for line in range(150)), problem(path, 500, 1))
    desk.servers.report = DiagnosticsReport(found, frozenset((path,)), provider="editor")
    said = await desk.said("@diagnostics:a.py")
    assert "a.py:501:5 error" in said
    assert "(The 100 gravest of 151.)" in said


async def test_a_steering_message_says_so_at_its_end() -> None:
    assert "while you were at work" in as_steering((TextPart(text="Use tabs."),))[-1].text


async def test_a_range_in_a_part_is_kept(desk: Desk) -> None:
    path = desk.write("a.txt", "one\ntwo\n")
    attached = await desk.attach(FilePart(uri=path.as_uri(), range=LineRange(start=2, end=2)))
    assert "lines 2 to 2 of a.txt:\n<content>\n2: two\n" in attached[1].text


@pytest.mark.parametrize("by_part", [False, True])
async def test_what_only_a_link_leads_to_is_not_shown_without_asking(desk: Desk, by_part: bool) -> None:
    desk.write("secret.txt", "SECRET=1\n")
    desk.denied = {"secret.txt", f"{desk.root.parent}/*"}
    (desk.root / "notes.txt").symlink_to("secret.txt")
    outside = desk.root.parent / "outside.txt"
    outside.write_text("OUTSIDE=1\n")
    (desk.root / "out.txt").symlink_to(outside)
    for name, target in (("notes.txt", "secret.txt"), ("out.txt", str(outside))):
        said = await desk.said(FilePart(uri=(desk.root / name).as_uri()) if by_part else f"See @{name}")
        assert f"The user attached {name}, which is a link to {target}" in said
        assert "=1" not in said
    assert "SECRET=1" in await desk.said("See @secret.txt")
    assert "OUTSIDE=1" in await desk.said(f"See @{outside}")


@pytest.mark.parametrize("name", ["keys.json", "mcp-auth.json", "grants.json", "trust.json", "KEYS.json"])
@pytest.mark.parametrize("way", ["mention", "attachment", "link"])
async def test_keys_and_decisions_of_placet_are_never_attached(desk: Desk, name: str, way: str) -> None:
    file = desk.write(f"../config/placet/{name}", "the secret").resolve()
    (desk.root / "link").symlink_to(file)
    asked = {"mention": f"@{file}", "attachment": FilePart(uri=file.as_uri(), name=name), "link": "@link"}[way]
    attached = await desk.attach(asked)
    assert "the secret" not in str(attached)
    assert "never attached" in await desk.said(asked)
    assert [part for part in attached if isinstance(part, FilePart)] == ([asked] if way == "attachment" else [])


async def test_a_file_with_the_name_of_a_file_of_placet_elsewhere_is_attached(desk: Desk) -> None:
    desk.write("src/keys.json", "{}")
    assert "{}" in await desk.said("@src/keys.json")
