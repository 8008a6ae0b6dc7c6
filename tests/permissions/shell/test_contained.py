"""Inside the sandbox a command is asked only where the sandbox and undo do not answer for the command."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from changes_support.approver import ONCE
from corpus_support import corpus
from placet.core.errors import PermissionDenied, Rejected
from placet.core.ports import PermissionAnswer, PermissionRequest, Question
from placet.core.values import replace
from placet.permissions.ask import Caller
from placet.permissions.gate import Ask, Gate
from placet.permissions.grants import Grants
from placet.permissions.rules import MAY_CHANGE, Rule, builtin_rules, from_config, root_names
from placet.project.paths import Workspace
from placet.sandbox.containment import CommandSandbox, Containment
from placet.settings.models import SandboxSettings
from placet.tools.shell import confinement, removal
from placet.tools.shell.permission import CommandPermit, ask_for_command, ask_for_host, findings_of
from tools_support.workbench import Workbench, open_workbench

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")

SESSIONS = Path(__file__).parent / "sessions"
REJECTION = PermissionAnswer("reject")
ALWAYS = PermissionAnswer("always")


@dataclass
class User:
    """Answers every question alike, and remembers the questions."""

    answer: PermissionAnswer = ONCE
    requests: list[PermissionRequest] = field(default_factory=list[PermissionRequest])

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.requests.append(request)
        return self.answer

    async def ask(self, session_id: str, questions: list[Question]) -> list[list[str]] | None:
        return None


@dataclass
class Session:
    """A session in a project, with or without a sandbox."""

    bench: Workbench
    permission: Any = field(default_factory=dict[str, Any])
    settings: SandboxSettings = field(default_factory=SandboxSettings)
    is_on: bool = True
    is_partial: bool = False
    unhidden: str = ""
    gap: str = ""
    only_reads: bool = False
    unreadable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    user: User = field(default_factory=User)
    gate: Gate = field(init=False)

    def __post_init__(self) -> None:
        self.gate = Gate(self.user, Grants())  # pyright: ignore[reportArgumentType]

    @property
    def root(self) -> Path:
        return self.bench.root

    async def permit(self, line: str, outside: str = "", files: Sequence[str] = ()) -> CommandPermit:
        limits = (Rule("bash", MAY_CHANGE, "ask", "the agent plan"),) if self.only_reads else ()
        rules = builtin_rules() + from_config(self.permission, "the test") + limits
        caller = Caller("ses_1", "msg_1", "call_1", "bash", (), rules, root_names((self.root,)))

        async def ask(ask: Ask) -> bool:
            return await self.gate.check(ask, caller) is not None

        roots = (self.root.resolve(),)
        writable = () if self.only_reads else (*roots, *self.writable)
        containment = Containment(roots, writable, unreadable=self.unreadable)
        hidden = (roots[0] / ".env",)
        sandbox = CommandSandbox(
            self.settings, containment, self.is_partial, hidden=hidden, unhidden=self.unhidden, gap=self.gap
        )
        context = self.bench.context("bash")
        context = replace(
            context,
            ask=ask,
            judge=self.gate.judge_for(caller),
            workspace=Workspace((self.root,)),
            only_reads=self.only_reads,
            commands=replace(context.commands, sandbox=sandbox if self.is_on else None),
        )
        self.context = context
        return await ask_for_command(
            context, line, findings_of(line, self.root), self.root, outside=outside, files=files
        )

    async def asked(self, line: str, outside: str = "", files: Sequence[str] = ()) -> list[str]:
        """Return the permission of each question about the line."""
        self.user.requests.clear()
        await self.permit(line, outside, files)
        return [request.permission for request in self.user.requests]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Workbench]:
    async with open_workbench(tmp_path) as bench:
        yield bench


@pytest.fixture
def session(bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    # The test's own directories lie in the true /tmp, which in the sandbox is the session's.
    monkeypatch.setattr(confinement, "TEMPORARY", tmp_path / "temporary")
    for name in ("src/app.py", "a.txt", ".gitignore", "package.json"):
        bench.write(name, ".env\nnode_modules\ndist\ncoverage\n.venv\n" if name == ".gitignore" else "x\n")
    for words in (("init", "-q", "-b", "main"), ("add", "-A")):
        subprocess.run(["git", *words], cwd=bench.root, check=True, capture_output=True)
    bench.write(".env", "SECRET=1\n")
    bench.write("node_modules/x/index.js", "")
    return Session(bench)


async def count(session: Session, name: str) -> tuple[int, int]:
    """Return how many commands a session has, and how many of them raise a question."""
    lines = (SESSIONS / f"{name}.txt").read_text().splitlines()
    return len(lines), sum([bool(await session.asked(line)) for line in lines])


@corpus("name", ["python", "node"])
async def test_forty_ordinary_commands_raise_at_most_three_questions_in_the_sandbox(
    session: Session, name: str
) -> None:
    session = Session(session.bench)
    assert await count(session, name) <= (40, 3)
    lines = (SESSIONS / f"{name}.txt").read_text().splitlines()
    assert len(lines) == 40, "all of them were asked before there was a sandbox and a rule for reading"


@corpus(("name", "asked"), [("python", 30), ("node", 32)])
async def test_without_a_sandbox_only_reading_is_unasked(
    session: Session, name: str, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(session.bench)
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{Path(sys.executable).parent}")
    session.is_on = False
    assert await count(session, name) == (40, asked)


@corpus("name", ["python", "node"])
async def test_all_forty_commands_are_asked_where_the_user_has_written_so(session: Session, name: str) -> None:
    session = Session(session.bench)
    session.permission = {"bash": "ask"}
    assert await count(session, name) == (40, 40)


async def test_a_command_that_the_sandbox_alone_allows_proposes_its_changes(session: Session) -> None:
    assert await session.permit("make") == CommandPermit(is_contained=True, proposes=True)
    assert await session.permit("ls") == CommandPermit(is_contained=True, proposes=True), "no proof is relied on"
    session.permission = {"bash": {"make *": "allow"}}
    assert await session.permit("make") == CommandPermit(is_contained=True), "the user vouches"
    assert await session.permit("make && touch x") == CommandPermit(is_contained=True, proposes=True)
    session.permission = {"bash": {"make *": "ask"}}
    assert await session.permit("make") == CommandPermit(is_contained=True), "the user has answered"
    assert session.user.requests[0].command == "make"


async def test_a_grant_vouches_as_a_rule_does(session: Session) -> None:
    session.permission, session.user.answer = {"bash": {"make *": "ask"}}, ALWAYS
    await session.permit("make")
    session.permission = {}
    assert await session.permit("make") == CommandPermit(is_contained=True)


async def test_without_a_sandbox_nothing_is_contained(session: Session) -> None:
    session.is_on = False
    assert await session.permit("make") == CommandPermit(is_contained=False)
    assert len(session.user.requests) == 1


@corpus(("unasked", "is_partial"), [(False, False), (True, True), (False, True)])
async def test_contained_is_asked_where_the_user_says_so_or_the_sandbox_is_partial(
    session: Session, unasked: bool, is_partial: bool
) -> None:
    session = Session(session.bench)
    session.settings, session.is_partial = SandboxSettings(unasked=unasked), is_partial
    assert await session.asked("make") == ["bash"]
    assert await session.asked("ls") == []
    assert (await session.permit("make")).is_contained


async def test_rules_of_the_user_outrank_the_sandbox(session: Session) -> None:
    session.permission = {"bash": {"git push *": "ask", "docker *": "deny"}}
    assert await session.asked("git push origin main") == ["bash"]
    assert await session.asked("make") == []
    with pytest.raises(PermissionDenied):
        await session.asked("make && docker ps")


async def test_unproved_lines_need_no_question_unless_a_rule_restricts_commands(session: Session) -> None:
    assert await session.asked("python3 -c 'print(1)'; eval \"$X\"") == []
    session.permission = {"bash": {"make *": "allow"}}
    assert await session.asked('eval "$X"') == []
    for action in ("ask", "deny"):
        session.permission = {"bash": {"git push *": action}}
        assert await session.asked('eval "$X"') == ["bash"]


async def test_an_agent_that_only_reads_is_unasked_where_nothing_is_writable(session: Session) -> None:
    session.only_reads = True
    assert await session.asked("python3 -m pytest") == []
    assert await session.asked("touch ~/x; git reset --hard") == []
    session.is_on = False
    assert await session.asked("python3 -m pytest") == ["bash"]


async def test_named_secrets_are_asked_inside_too(session: Session) -> None:
    for line in ("cat .env", "cp .env copy", "cat .e*", "python3 show.py --file=.env"):
        assert await session.asked(line) == ["sandbox"], line
        assert session.user.requests[0].patterns == (f"read .env: {line}",)
        assert (await session.permit(line)).shown == (session.root.resolve() / ".env",)
    assert session.user.requests[-1].note == "The command's output goes to the model's provider."
    session.permission = {"read": {"keys/*": "deny"}, "sandbox": "allow", "bash": "allow"}
    session.bench.write("keys/k", "")
    for line, files in (("cat keys/k", ()), ("make", ("keys/k",)), ("git show HEAD:keys/k | make", ())):
        with pytest.raises(PermissionDenied):
            await session.asked(line, files=files)


async def test_a_file_that_the_model_names_is_asked_and_opened_for_the_line(session: Session) -> None:
    secret = session.root.resolve() / ".env"
    assert await session.asked("make", files=[".env", "a.txt"]) == ["sandbox"]
    [request] = session.user.requests
    assert (request.patterns, request.command) == (("read .env: make",), "make")
    assert [(offer.scope, offer.patterns) for offer in request.always] == [("session", request.patterns)]
    assert await session.permit("make", files=[".env"]) == CommandPermit(
        is_contained=True, proposes=True, shown=(secret,)
    ), "the answer is about reading, so what the line writes is still only proposed"
    assert (await session.permit("make")).shown == ()
    session.user.answer = REJECTION
    with pytest.raises(Rejected):
        await session.permit("make", files=[".env"])


async def test_a_rule_for_commands_opens_no_hidden_file(session: Session) -> None:
    session.permission = {"bash": {"*": "allow"}}
    assert await session.asked("cat .env") == ["sandbox"]
    assert await session.asked("make", files=[".env"]) == ["sandbox"]
    session.permission = {"sandbox": {"read .env: make*": "allow"}}
    assert await session.asked("make test", files=[".env"]) == []
    assert await session.asked("cat .env") == ["sandbox"]


async def test_always_opens_a_file_for_the_same_line_without_the_argument(session: Session) -> None:
    session.user.answer = ALWAYS
    assert await session.asked("make test", files=[".env"]) == ["sandbox"]
    shortened = ("make test 2>&1", "make test | tail -5", "make test 2>&1 | tail -n 50 | head -3", "make test |& head")
    others = (
        "make test | sort",
        "make test || tail -5",
        "make test; tail -5",
        "make test | tail -5 x",
        "make tests",
    )
    for line in ("make test", *shortened, *others):
        assert await session.asked(line) == []
        assert bool((await session.permit(line)).shown) is (line not in others), line


async def test_one_answer_settles_all_reasons_to_ask_about_a_line_with_a_hidden_file(session: Session) -> None:
    assert await session.asked("rm .env") == ["sandbox"]
    assert "which git ignores and undo does not cover" in session.user.requests[0].note
    assert await session.asked("git reset --hard && cat .env") == ["sandbox"]
    session.permission = {"sandbox": {"read .env: *": "allow"}}
    assert await session.asked("rm .env") == ["bash"]


async def test_a_sandbox_that_cannot_hide_the_files_does_not_answer_for_a_line(session: Session) -> None:
    session.unhidden = "The project has too many directories"
    assert await session.asked("make") == ["bash"]
    assert session.unhidden in session.user.requests[0].rule
    assert await session.asked("cat .env") == ["bash"]


async def test_a_sandbox_that_cannot_protect_every_file_that_other_programs_obey_does_not_answer(
    session: Session,
) -> None:
    session.gap = "The project holds 201 protected paths"
    assert await session.asked("make") == ["bash"]
    assert session.gap in session.user.requests[0].rule


async def test_a_place_outside_that_is_only_read_is_not_asked(session: Session, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x").touch()
    assert await session.asked(f"python3 {other}/x") == []
    assert await session.asked(f"cat {other}/x | make") == []
    session.permission = {"external_directory": {f"{other}/*": "ask"}}
    assert await session.asked(f"cat {other}/x | make") == ["external_directory"]
    session.permission, session.unreadable = {}, (other,)
    assert await session.asked(f"cat {other}/x") == ["external_directory"]
    assert (await session.permit(f"cat {other}/x")).lifted == (other / "x",)
    (other / ".env").touch()
    session.unreadable = ()
    assert await session.asked(f"cat {other}/.env") == ["sandbox"]


@corpus(
    ("line", "permissions"),
    [
        ("git show HEAD:gone/.env | make", ["sandbox"]),
        ("git log -p -- gone/.env | make", ["sandbox"]),
        ("git show HEAD:gone/a.txt | make", []),
        ("git log --oneline -- gone/.env | make", []),
    ],
)
async def test_a_version_of_a_deleted_secret_is_asked_in_the_sandbox_too(
    session: Session, line: str, permissions: list[str]
) -> None:
    session = Session(session.bench)
    assert await session.asked(line) == permissions


async def test_a_place_inside_that_the_sandbox_hides_is_asked_and_opened(session: Session) -> None:
    session.bench.write("keys/k", "")
    session.unreadable = (session.root.resolve() / "keys",)
    assert await session.asked("cat keys/k | make") == ["bash"]
    assert (await session.permit("cat keys/k | make")).lifted == (session.root.resolve() / "keys/k",)


async def test_a_place_outside_that_is_written_is_asked_as_leaving_and_opened(session: Session, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert await session.asked(f"cp a.txt {other}/x") == ["sandbox"]
    assert session.user.requests[0].patterns == (f"write {other}",)
    permit = await session.permit(f"cp a.txt {other}/x")
    assert permit == CommandPermit(is_contained=True, writable=(other,))
    session.writable = (other,)
    assert await session.asked(f"cp a.txt {other}/x") == []


async def test_a_file_in_the_temporary_directory_of_the_session_is_not_asked(session: Session, tmp_path: Path) -> None:
    assert await session.asked(f"cp a.txt {tmp_path}/temporary/x") == []
    assert (await session.permit(f"cp a.txt {tmp_path}/temporary/x")).is_contained


async def test_a_grant_to_write_outside_holds_for_this_directory_alone(session: Session, tmp_path: Path) -> None:
    session.user.answer = ALWAYS
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    line = f"make > {tmp_path}/one/x"
    assert await session.asked(line) == ["sandbox"]
    assert [offer.scope for offer in session.user.requests[0].always] == ["session"]
    assert await session.asked(line) == []
    assert (await session.permit(line)).writable == (tmp_path / "one",)
    assert await session.asked(f"make > {tmp_path}/two/x") == ["sandbox"]


async def test_a_rule_lets_a_line_write_outside(session: Session, tmp_path: Path) -> None:
    session.permission = {"sandbox": {f"write {tmp_path}": "allow"}}
    assert await session.asked(f"touch {tmp_path}/new") == []
    session.permission = {"sandbox": {"write ~/x": {"action": "allow", "match": [f"write {Path.home()}/x"]}}}
    assert await session.asked(f"touch {tmp_path}/new") == ["sandbox"]


async def test_a_write_that_would_open_the_home_leaves(session: Session) -> None:
    assert await session.asked("rm ~/some-file") == ["sandbox"]
    request = session.user.requests[0]
    assert request.patterns == (f"rm {Path.home()}/some-file", f"write {Path.home().resolve()}/some-file")
    assert (await session.permit("rm ~/some-file")).is_contained is False


IRREVERSIBLE = """
git reset --hard
git reset --hard HEAD~1
git -C . reset --har
git clean -fdx
git clean -Xf
git clean -fd -e '!*.log'
git clean -ffd
git clean -fd --force
git checkout -f
git checkout -- a.txt
git checkout HEAD -- .
git checkout a.txt
git restore a.txt
git restore --staged --worktree a.txt
git switch -f main
git switch --discard-changes main
git stash drop
git stash clear
git branch -D old
git branch -d --force old
git branch -f main HEAD~1
git reflog expire --expire=now --all
git reflog delete HEAD@{1}
git gc --prune=now
git update-ref -d refs/heads/x
git tag -d v1
git push --force
git push -f origin main
git push --force-with-lease
git push origin --delete x
git push origin +main
git push origin :main
git worktree remove -f ../x
git filter-branch x
rm -rf .
rm -rf ../project
rm -rf node_modules
rm -r dist
rm -rf *
find . -delete
find . -type f -delete
find . -name .env -delete
find . -name '*nv' -exec rm -f {} +
find . -path './dist/*' -delete
find . -name dist -prune -exec rm -rf {} ';'
find . -name HEAD -delete
find . -name 'a*' -delete -o -name x -delete
find . -print0 | xargs -0 rm -rf
find . -name .env | xargs -I % /bin/rm -f %
find . -name .env 2>/dev/null | xargs rm -f
find *.txt . -name x -delete
cd dist && find . -name 'x' -delete
find . -type d -empty -delete
rm .env
""".strip().splitlines()
COVERED = r"""
git reset
git reset HEAD~1
git clean -fd
git checkout main
git checkout -b new
git restore --staged a.txt
git switch main
git stash
git stash pop
git branch new
git branch -d old
git push origin main
git commit -am x
git rebase main
rm a.txt
rm -rf src
rm -rf __pycache__ .pytest_cache
find src -name '*.pyc' -delete
find . -name '*.txt' -delete
find . -name *.txt -delete
find . -name '*.txt' -exec /bin/rm -f {} +
find . -name '*.txt' | xargs -I{} rm {}
find . -maxdepth 1 -name x -delete
find . -name node_modules -prune -o -name '*.js' -exec rm {} ';'
find . -path './src/*' -delete
find . -type d -empty -not -path './.git/*' -delete
find . \( -name '*.orig' -o -name '*.rej' \) -delete
find . -name __pycache__ -type d -exec rm -rf {} +
find . -name '*.txt' -print0 | xargs -0 rm -f
cd src && find . -type f -delete
mkdir -p new && cd new && find . -type f -delete
mv a.txt dist/b.txt
mkdir -p dist/y && rm a.txt
touch dist/x && rm a.txt
rm a.txt > dist/log
mv a.txt b.txt
""".strip().splitlines()


@corpus("line", IRREVERSIBLE)
async def test_what_undo_does_not_cover_is_asked_inside(session: Session, line: str) -> None:
    session = Session(session.bench)
    session.bench.write("dist/x", "")
    session.permission = {"sandbox": {"read .env: rm .env": "allow"}}
    assert await session.asked(line) == ["bash"]
    [request] = session.user.requests
    assert request.rule.startswith("`bash: *` -> ask (built in). "), "with the reason"
    assert (await session.permit(line)).proposes is False


@corpus("line", COVERED)
async def test_what_undo_covers_is_not_asked_inside(session: Session, line: str) -> None:
    session = Session(session.bench)
    assert await session.asked(line) == []


async def test_the_reason_names_the_file_that_find_would_remove(session: Session) -> None:
    assert await session.asked("find . -name .env -delete") == ["bash"]
    assert "It removes `.env`, which git ignores" in session.user.requests[0].rule
    assert await session.asked("find . -name HEAD -delete") == ["bash"]
    assert "It removes `.git/HEAD`, which undo does not cover" in session.user.requests[0].rule


async def test_a_removal_that_cannot_be_listed_in_time_is_asked(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await session.asked("find . -name '*.txt' -delete") == []
    monkeypatch.setattr(removal, "LISTING_SECONDS", 0)
    assert await session.asked("find . -name '*.txt' -delete") == ["bash"]
    assert "Which files it removes could not be listed" in session.user.requests[0].rule


@pytest.mark.parametrize("is_on", [True, False])
async def test_a_line_that_names_a_place_in_a_directory_closed_to_the_user_is_judged(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_on: bool
) -> None:
    closed, stat, readlink = tmp_path / "closed", os.stat, os.readlink
    closed.mkdir()

    def stat_as_the_user(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        if str(path).startswith(f"{closed}/"):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, *arguments, **options)

    def readlink_as_the_user(path: Any, *arguments: Any, **options: Any) -> str:
        if str(path) == str(tmp_path / "root"):
            raise PermissionError(13, "Permission denied", str(path))
        return readlink(path, *arguments, **options)

    (tmp_path / "root").symlink_to("/")
    monkeypatch.setattr(os, "stat", stat_as_the_user)
    monkeypatch.setattr(os, "readlink", readlink_as_the_user)
    session.is_on = is_on
    for words in ("ls", "cat", "rm -rf", "cp a.txt", "find", "git -C", "grep -r x", "cd", "echo x >"):
        await session.asked(f"{words} {closed}/inner")
        await session.asked(f"{words} {tmp_path}/root/inner")


UNNAMED = r"""
ls | xargs rm
ls src/*.txt | xargs -n 1 rm -f
git ls-files -z | xargs -0 rm -f --
grep -rl x . | xargs -I% rm %
cat list.txt | xargs -r rm
ls | xargs env rm -f
find . -name '*.txt' | grep -v b | xargs rm
cd src && ls | xargs rm
xargs rm < list.txt
rm -f $(cat list.txt)
rm "$UNKNOWN"
for file in *.txt; do rm "$file"; done
while read -r file; do rm -- "$file"; done < list.txt
find . -name '*.txt' -exec sh -c 'rm "$1"' _ {} \;
""".strip().splitlines()
LOSING = r"""
rm -rf src
rm -r ./src/deep
find . -name src -exec rm -rf {} +
find . -name deep | xargs rm -r
rm -rf vendor
rm -rf module
rm -rf vendor/inner
""".strip().splitlines()


def with_files_that_git_cannot_bring_back(session: Session) -> Session:
    session = Session(session.bench)
    session.bench.write(".gitignore", "dist/\n*.db\n__pycache__/\n")
    session.bench.write("src/deep/x.db", "")
    session.bench.write("plain/__pycache__/x.pyc", "")
    session.bench.write("plain/x.txt", "")
    session.bench.write("vendor/inner/.git/HEAD", "ref: refs/heads/main\n")
    session.bench.write("module/.git", "gitdir: ../.git/modules/module\n")
    return session


RECURSIVE = r"""
ls | xargs rm -rf
cat list.txt | xargs -r rm --recursive
rm -rf "$UNKNOWN"
rm -rf "${UNKNOWN:?}/x"
for name in *; do rm -fr "$name"; done
""".strip().splitlines()


@corpus("line", RECURSIVE)
async def test_a_removal_of_folders_without_names_is_asked(session: Session, line: str) -> None:
    session = Session(session.bench)
    assert await session.asked(line) == ["bash"]
    assert "Which folders it removes shows only when it runs" in session.user.requests[0].rule


@corpus("line", LOSING)
async def test_a_removal_of_a_folder_is_asked_where_undo_does_not_cover_a_file_below(
    session: Session, line: str
) -> None:
    session = with_files_that_git_cannot_bring_back(session)
    assert await session.asked(line) == ["bash"]
    assert "undo does not cover" in session.user.requests[0].rule
    assert (await session.permit(line)).proposes is False


@corpus("line", UNNAMED)
async def test_a_removal_without_names_is_asked_where_undo_does_not_cover_a_file_below(
    session: Session, line: str
) -> None:
    session = with_files_that_git_cannot_bring_back(session)
    assert await session.asked(line) == ["bash"]
    assert "`src/deep/x.db`, which git ignores and undo does not cover" in session.user.requests[0].rule


@corpus("line", [*UNNAMED, "rm -rf plain", "rm -rf src"])
async def test_a_removal_is_not_asked_where_undo_covers_every_file_below(session: Session, line: str) -> None:
    session = with_files_that_git_cannot_bring_back(session)
    for place in ("src/deep/x.db", "vendor/inner/.git/HEAD", "module/.git"):
        (session.root / place).unlink()
    for place in ("vendor/inner/.git", "vendor/inner"):
        (session.root / place).rmdir()
    assert await session.asked(line) == []


@corpus("line", ["rm -rf src", "rm src/deep/x.db", "rm -rf dist", "ls | xargs rm"])
async def test_an_ignore_file_counts_for_a_removal_without_a_repository_too(session: Session, line: str) -> None:
    session = with_files_that_git_cannot_bring_back(session)
    session.bench.write("dist/x", "")
    (session.root / ".git").rename(session.root.parent / "elsewhere.git")
    asked = await session.asked(line)
    (session.root.parent / "elsewhere.git").rename(session.root / ".git")
    assert asked == ["bash"]


async def test_a_narrow_removal_by_find_is_judged_like_a_removal_of_the_folder_outside_the_sandbox(
    session: Session,
) -> None:
    session.is_on = False
    session.permission = {"bash": {"*": "allow", "rm -r .": "deny"}}
    with pytest.raises(PermissionDenied):
        await session.asked("find . -name '*.txt' -delete")
    session.permission = {"bash": {"*": "allow"}, "edit": {"src/*": "deny"}}
    for line in ("find src -name x -delete", "find src -name x -exec rm {} +"):
        with pytest.raises(PermissionDenied):
            await session.asked(line)


async def test_a_rule_of_the_user_allows_what_undo_does_not_cover(session: Session) -> None:
    session.permission = {"bash": {"git reset *": "allow"}}
    assert await session.asked("git reset --hard") == []


async def test_writing_through_a_hard_link_is_asked(session: Session, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("x")
    (session.root / "linked.txt").hardlink_to(tmp_path / "outside.txt")
    assert await session.asked("sed -i s/x/y/ linked.txt") == ["bash"]
    assert await session.asked("cat linked.txt") == []


async def test_what_the_user_opens_is_lifted(session: Session) -> None:
    permit = await session.permit("echo x > .vscode/tasks.json")
    assert [request.permission for request in session.user.requests] == ["edit_sensitive"]
    assert permit == CommandPermit(is_contained=True, lifted=(session.root / ".vscode/tasks.json",))


LEAVING = """
git config user.name x
git config --unset a.b
git remote add origin x
git remote set-url origin x
git push -u origin main
git push --set-upstream origin main
git submodule add x
git submodule update --init
git branch -u origin/main
git checkout -t origin/x
git sparse-checkout set x
git lfs install
git commit -S -m x
git tag -s v1
docker ps
docker compose up
kubectl get pods
sudo ls
open x
xdg-open x
pre-commit install
npm install -g x
pip install --user x
cargo install x
cargo +nightly install x
git config core.pager --list
apt-get install x
systemctl --user restart x
make && docker build .
""".strip().splitlines()


@corpus("line", LEAVING)
async def test_what_cannot_work_inside_is_asked_as_leaving_with_the_reason(session: Session, line: str) -> None:
    session = Session(session.bench)
    assert await session.asked(line) == ["sandbox"]
    [request] = session.user.requests
    assert request.note.startswith("It cannot work inside the sandbox: ")
    assert request.command == line
    assert (await session.permit(line)).is_contained is False


async def test_commits_leave_where_git_signs_each_commit(session: Session) -> None:
    assert await session.asked("git commit -m x") == []
    with (session.root / ".git/config").open("a") as config:
        config.write("[commit]\n\tgpgSign = true\n")
    for line in ("git commit -m x", "git -C . merge x", "git rebase main"):
        assert await session.asked(line) == ["sandbox"], line
    assert "it signs with your key" in session.user.requests[0].note
    assert await session.asked("git commit --no-gpg-sign -m x") == []
    assert await session.asked("git status") == []


@corpus(
    "line",
    ["git config --get user.name", "git config user.name", "git remote -v", "git submodule status", "docker --help"],
)
async def test_what_works_inside_stays_inside(session: Session, line: str) -> None:
    session = Session(session.bench)
    assert await session.asked(line) == []


async def test_the_model_leaves_with_a_reason_that_is_marked_as_the_models(session: Session) -> None:
    assert await session.asked("make deploy", "It needs the VPN.\nAllow it.") == ["sandbox"]
    [request] = session.user.requests
    assert (request.command, request.patterns) == ("make deploy", ("make deploy",))
    assert request.title == "Run outside of the sandbox"
    assert request.description.startswith("The model says: “It needs the VPN.")
    assert (await session.permit("make deploy", "reason")).is_contained is False


async def test_only_a_rule_for_the_sandbox_lets_a_line_leave_unasked(session: Session) -> None:
    for permission in ({"bash": "allow"}, {"*": "allow"}, "allow"):
        session.permission = permission
        assert await session.asked("make", "reason") == ["sandbox"]
    session.permission = {"sandbox": {"make *": "allow"}}
    assert await session.asked("make test", "reason") == []
    assert await session.asked("make test; ./other", "reason") == ["sandbox"]
    session.permission = {"sandbox": {"make *": "allow"}, "bash": {"make *": "ask"}}
    assert await session.asked("make test", "reason") == ["bash"]
    session.permission = {"sandbox": {"make *": "deny"}}
    with pytest.raises(PermissionDenied):
        await session.asked("make test", "reason")
    session.permission = {"bash": {"make *": "deny"}}
    with pytest.raises(PermissionDenied):
        await session.asked("make test", "reason")


async def test_one_answer_is_enough_to_leave(session: Session) -> None:
    session.permission = {"bash": "ask"}
    assert await session.asked("make /etc/x", "reason") == ["sandbox"]


async def test_a_grant_to_leave_holds_in_the_session_alone_and_for_this_command(session: Session) -> None:
    session.user.answer = ALWAYS
    assert await session.asked("make deploy", "reason") == ["sandbox"]
    assert [(offer.scope, offer.patterns) for offer in session.user.requests[0].always] == [
        ("session", ("make deploy *",))
    ]
    assert await session.asked("make deploy now", "reason") == []
    assert await session.asked("make other", "reason") == ["sandbox"]


async def test_settings_that_let_nothing_leave_refuse(session: Session) -> None:
    session.settings = SandboxSettings(leaving="deny")
    for line, outside in (("make", "reason"), ("docker ps", ""), ("touch ~/x", ""), ("touch /opt/x", "")):
        with pytest.raises(PermissionDenied, match=r"sandbox\.leaving: deny"):
            await session.permit(line, outside)
    assert session.user.requests == []


async def test_a_second_try_to_leave_after_a_rejection_is_marked(session: Session) -> None:
    session.user.answer = REJECTION
    for note in ("", "Asked again: you rejected this before."):
        with pytest.raises(Rejected):
            await session.permit("make deploy", "reason")
        assert session.user.requests[-1].note == note


async def test_a_line_is_excluded_only_if_each_of_its_commands_is(session: Session) -> None:
    session.settings = SandboxSettings(excluded=("docker *", "make *"))
    assert await session.asked("docker ps && make") == ["bash"]
    assert (await session.permit("docker ps && make")).is_contained is False
    assert (await session.permit("make; npm test")).is_contained
    assert (await session.permit('make; eval "$X"')).is_contained
    session.permission = {"bash": {"docker *": "allow"}}
    assert await session.asked("docker ps") == []


async def test_a_host_is_one_question_and_its_grant_names_the_host(session: Session) -> None:
    await session.permit("true")
    session.user.answer = ALWAYS
    for _ in range(2):
        await ask_for_host(session.context, "example.com", 443, "curl https://example.com")
    [request] = session.user.requests
    assert (request.permission, request.patterns) == ("sandbox", ("connect example.com:443",))
    assert request.always[0].patterns == ("connect example.com:443",)
    await ask_for_host(session.context, "example.com", 80, "curl http://example.com")
    assert len(session.user.requests) == 2
