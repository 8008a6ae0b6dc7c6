"""What `explain` says and what the gate does are one: over many lines, rules and grants."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from changes_support.approver import ONCE
from placet.agent.agents.builtin import builtin_agents
from placet.core.errors import DocumentMissing, PermissionDenied
from placet.core.ports import PermissionAnswer, PermissionRequest, Question
from placet.core.values import replace
from placet.permissions.explain import Explanation
from placet.permissions.gate import Ask, Caller, Gate
from placet.permissions.grants import Grants
from placet.permissions.rules import builtin_rules, root_names
from placet.project.paths import Workspace
from placet.sessions.asks.permissions import Bound, Permissions
from placet.settings import Locations, Settings
from placet.tools import listing, read, write
from placet.tools.framework.context import ToolContext
from placet.tools.shell.permission import ask_for_command, findings_of
from tools_support.workbench import Workbench, open_workbench

BUILD = Bound(builtin_agents()[0], "ses_1")


class YesMan:
    """Allows everything once, and remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[PermissionRequest] = []

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.requests.append(request)
        return ONCE

    async def ask(self, session_id: str, questions: list[Question]) -> list[list[str]] | None:
        return None


class Place:
    """A project with rules and grants: what would be said of a call, and what becomes of it."""

    def __init__(self, root: Path, permission: Any, granted: tuple[tuple[str, str], ...] = (), **tools: bool) -> None:
        self.user = YesMan()
        self.workspace = Workspace((root,))
        locations = Locations(*(root.parent / name for name in ("config", "data", "cache", "log")))
        values = Settings.model_validate({"permission": permission, "tools": tools})
        self.grants = Grants()
        for name, pattern in granted:
            self.grants.remember(name, [pattern], scope="session", session_id="ses_1")
        self.permissions = Permissions(self.workspace, values, locations, builtin_rules(), self.grants)
        self.gate = Gate(self.user, self.grants)
        rules, roots = self.permissions.rules(BUILD), root_names((root,))
        self.caller = Caller("ses_1", "msg_1", "call_1", "bash", (), rules, roots)

    async def said(self, permission: str, subject: str) -> Explanation:
        return await self.permissions.explain(permission, subject, BUILD)

    async def done(self, line: str, context: ToolContext) -> str:
        """What the gate does with a command line: allow, ask, or the words of the denial."""

        async def ask(ask: Ask) -> bool:
            return await self.gate.check(ask, self.caller) is not None

        judge = self.gate.judge_for(self.caller)
        bound: Any = replace(context, workspace=self.workspace, ask=ask, judge=judge)
        root = self.workspace.root
        try:
            await ask_for_command(bound, line, findings_of(line, root), root)
        except PermissionDenied as error:
            return str(error)
        return "ask" if self.user.requests else "allow"


COMMANDS = (
    "git status", "git push origin", "rm -rf build", "/bin/rm x", "ls -l", "cd src", "echo hi", "cat /etc/hosts",
    "make test > out.txt", "sudo rm x", "bash -c 'rm x; git push'", "rm $X", "FOO=1 make", "true", "cp a ../b",
    "env git status", "xargs rm", "$(git status)", "cat link/passwd", "if",
)  # fmt: skip
LINES = st.tuples(
    st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=4), st.sampled_from([" && ", "; ", " | ", " || ", "\n"])
).map(lambda parts: parts[1].join(parts[0]))
BASH = st.sampled_from(
    ["*", "git *", "git status *", "git push *", "rm *", "* rm *", "make *", "cat *", "cd *", "ls", "git status && *"]
)
OUTSIDE = st.sampled_from(["*", "/etc/*", "**/etc/*", "~/*"])
ACTIONS = st.sampled_from(["allow", "ask", "deny"])
RULES = st.fixed_dictionaries(
    {},
    optional={
        "*": ACTIONS,
        "bash": ACTIONS | st.dictionaries(BASH, ACTIONS, max_size=5),
        "external_directory": ACTIONS | st.dictionaries(OUTSIDE, ACTIONS, max_size=3),
    },
)
GRANTS = st.lists(st.sampled_from([("bash", "git status *"), ("bash", "rm *"), ("external_directory", "/etc/*")]))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("place") / "project"
    (root / "src").mkdir(parents=True)
    (root / "link").symlink_to("/etc")
    return root


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ToolContext:
    async def made() -> ToolContext:
        async with open_workbench(tmp_path_factory.mktemp("bench")) as bench:
            return bench.context("bash")

    return asyncio.run(made())


@settings(max_examples=300, deadline=None)
@given(line=LINES, permission=RULES, granted=GRANTS)
def test_a_line_is_explained_as_the_gate_judges_it(
    line: str, permission: Any, granted: list[tuple[str, str]], root: Path, context: ToolContext
) -> None:
    async def compare() -> None:
        place = Place(root, permission, tuple(granted))
        said = await place.said("bash", line)
        done = await place.done(line, context)
        assert place.user.requests or done != "ask"
        if said.outcome == "deny":
            denying = [one for one in said.judged if one.action == "deny"]
            assert any(f"The rule {one.rule} refuses `{one.permission}` of `{one.pattern}`." in done for one in denying)
        else:
            assert done == said.outcome
            asked = [(part.pattern, part.action, part.by) for request in place.user.requests for part in request.parts]
            told = [(one.pattern, one.action, one.by) for one in said.judged]
            assert [one for one in told if one[1] == "ask"] == [one for one in asked if one[1] == "ask"]
            assert set(asked) <= set(told)

    asyncio.run(compare())


NAMES = st.sampled_from(["pub/a.py", "link/a.py", "OUTSIDE/a.py", "./src/a.py", "src/../a.py", ".env", "src/none.py"])
PATHS = st.sampled_from(
    ["*", "src/*", "./src/**/*.py", "*.env", "pub/*", "link/*", "OUTSIDE/*", "HERE/src/*", "HERE/link/*", "HERE/pub/*"]
)
PLACES = st.sampled_from(["*", "OUTSIDE/*", "HERE/link/*", "**/outside/*"])
PATH_RULES = st.fixed_dictionaries(
    {},
    optional={
        **{name: ACTIONS | st.dictionaries(PATHS, ACTIONS, max_size=4) for name in ("read", "edit", "list")},
        "external_directory": ACTIONS | st.dictionaries(PLACES, ACTIONS, max_size=3),
    },
)
TOOLS = {"read": read.TOOL, "edit": write.TOOL, "list": listing.TOOL}


@settings(max_examples=150, deadline=None)
@example(permission="read", name="pub/a.py", rules={"read": {"*": "deny", "pub/*": "allow"}})
@given(permission=st.sampled_from(["read", "edit", "list"]), name=NAMES, rules=PATH_RULES)
def test_a_path_is_explained_as_the_gate_judges_it(permission: str, name: str, rules: Any) -> None:
    async def compare(directory: Path) -> None:
        async with open_workbench(directory) as bench:
            outside = directory / "outside"
            outside.mkdir()
            (bench.root / "link").symlink_to(outside)
            (bench.root / "src").mkdir()
            (bench.root / "pub").symlink_to(bench.root / "src")
            if permission != "edit":  # What is written is new, so that it need not be read first.
                for file in ("a.py", "src/a.py", ".env", "link/a.py"):
                    bench.write(file, "x = 1\n")

            def placed(text: str) -> str:
                return text.replace("HERE", bench.root.as_posix()).replace("OUTSIDE", outside.as_posix())

            bench.permission = {
                key: value if isinstance(value, str) else {placed(one): action for one, action in value.items()}
                for key, value in rules.items()
            }
            subject = placed(name if permission != "list" else name.rpartition("/")[0] or ".")
            said = await Place(bench.root, bench.permission).said(permission, subject)
            done = await attempt(bench, permission, subject)
            if said.outcome == "deny":
                denying = [one for one in said.judged if one.action == "deny"]
                assert any(
                    f"The rule {one.rule} refuses".replace("your settings", "the test") in done for one in denying
                )
            else:
                assert done == said.outcome

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(compare(Path(directory).resolve()))


async def attempt(bench: Workbench, permission: str, subject: str) -> str:
    """What becomes of the call, as far as permissions go: allow, ask, or the words of the denial."""
    arguments = {"path": subject} if permission == "list" else {"filePath": subject, "content": "y = 1\n"}
    try:
        await bench.run(TOOLS[permission], **arguments)
    except PermissionDenied as error:
        return str(error)
    except DocumentMissing:
        pass  # It was let through.
    return "ask" if bench.user.requests else "allow"
