"""Commands of a session run inside the sandbox: unasked, held, and their changes proposed."""

import asyncio
import base64
import os
import shutil
import sys
import uuid
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from placet.core.errors import NobodyToAsk
from placet.core.messages import TextPart, ToolCompleted, ToolFailed, ToolPart
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.project.processes.child import Command
from placet.sessions.services.machine_notices import MachineNotices
from placet.sessions.services.sandboxes import CommandSandboxes
from placet.sessions.session import Session
from placet.settings.models import SandboxSettings
from services_support import TempServices
from time_support import limited

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is Linux's")

GO = [TextPart(text="Please go on.")]
DONE = [{"text": "Done."}]


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("one\ntwo\n")
    return services


def bash(command: str, **arguments: Any) -> dict[str, Any]:
    return {"call": "bash", "arguments": {"command": command, **arguments}}


def results(session: Session) -> list[ToolCompleted]:
    """Return the results of the session's calls, in order."""
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    assert all(isinstance(part.state, ToolCompleted) for part in parts), [part.state for part in parts]
    return [part.state for part in parts if isinstance(part.state, ToolCompleted)]


async def prepared(
    services: TempServices, monkeypatch: pytest.MonkeyPatch, *turns: list[dict[str, Any]], **settings: Any
) -> list[str]:
    """Return the sessions whose sandbox two turns have prepared."""
    calls: list[str] = []
    begun = asyncio.Event()

    async def prepare(_: CommandSandboxes, *__: object, session_id: str, **___: object) -> None:
        calls.append(session_id)
        begun.set()

    monkeypatch.setattr(CommandSandboxes, "prepare", prepare)
    async with services.open(services.script(*turns), **settings) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        if settings["sandbox"].get("mode") != "off" and not settings.get("permission"):
            async with limited(lambda: f"the calls to have begun; there are {calls}"):
                await begun.wait()
    return calls


async def test_the_sandbox_is_prepared_once_beside_the_first_answer(
    services: TempServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(await prepared(services, monkeypatch, DONE, DONE, sandbox={})) == 1


@pytest.mark.parametrize("settings", [{"sandbox": {"mode": "off"}}, {"sandbox": {}, "permission": {"bash": "deny"}}])
async def test_no_sandbox_is_prepared_that_no_command_would_use(
    services: TempServices, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    assert await prepared(services, monkeypatch, DONE, DONE, **settings) == []


async def test_after_the_preparation_a_command_starts_no_trial_and_no_holder(
    services: TempServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandboxes = CommandSandboxes(services.locations, MachineNotices(services.locations.notices))
    outputs, settings = services.locations.data / "outputs", SandboxSettings()
    try:
        await sandboxes.prepare(settings, (services.project,), session_id="s", only_reads=False, outputs=outputs)
        started: list[str] = []
        monkeypatch.setattr(asyncio, "create_subprocess_exec", lambda *words, **_: started.append(str(words)))
        offer = await sandboxes.offer(settings, (services.project,), only_reads=False, outputs=outputs)
        assert offer is not None
        command = Command(("true",), services.project, {})
        context = sandboxes.contained(
            command, offer.containment, session_id="s", overlays=(), ask_host=AsyncMock(return_value=False)
        )
        async with context as contained:
            assert contained.command.arguments[-1] == "true"
        assert started == []
    finally:
        monkeypatch.undo()
        await sandboxes.close()


async def test_a_contained_command_is_not_asked_and_what_it_may_not_write_is_told(services: TempServices) -> None:
    outside = Path(f"/var/tmp/placet-{uuid.uuid4().hex}")
    line = f"python3 -c 'open(\"{outside}\", \"w\")'; python3 -c 'print(6 * 7)'"
    async with services.open(services.script([bash(line)], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"

        [result] = results(session)
    assert services.user.asked == []
    assert "42" in result.output
    assert f"Refused by the sandbox: write to {outside} (outside the project)." in result.output
    assert result.metadata["sandbox"] == "inside"
    assert not outside.exists()


async def test_a_process_that_is_ended_with_its_command_is_told_with_the_way_to_keep_one(
    services: TempServices,
) -> None:
    async with services.open(services.script([bash("sleep 600 &")], [bash("true")], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        left, none = results(session)

    assert "left processes running, which were ended with the command: sleep." in left.output
    assert "`background: true`" in left.output
    assert "left processes running" not in none.output


async def test_a_temporary_file_of_a_command_is_seen_by_the_next_command_and_by_read(services: TempServices) -> None:
    read = {"call": "read", "arguments": {"filePath": "/tmp/of-the-command/kept"}}
    calls = [bash("mkdir /tmp/of-the-command; echo words > /tmp/of-the-command/kept")], [bash("cat /tmp/*/kept")]
    async with services.open(services.script(*calls, [read], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        outputs = [result.output for result in results(session)]

    assert services.user.asked == []
    assert "words" in outputs[1]
    assert "words" in outputs[2]
    assert not Path("/tmp/of-the-command").exists()


async def test_a_change_by_a_contained_command_is_proposed_and_an_accepted_change_can_be_undone(
    services: TempServices,
) -> None:
    script = services.script(
        [bash("sed -i s/two/2/ a.txt; echo new > b.txt", description="Tidy")], [bash("cat a.txt b.txt")], DONE
    )
    async with services.open(script, sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)

        [request] = services.user.asked
        assert (request.permission, set(request.patterns)) == ("edit", {"a.txt", "b.txt"})
        assert request.change is not None
        assert request.title.startswith("Changes by sed -i s/two/2/ a.txt;"), (
            "the command, and not the model's words for it"
        )
        first, second = results(session)
        assert "accepted" in first.output
        assert second.output.startswith("one\n2\nnew")
        assert (services.project / "a.txt").read_text() == "one\n2\n"

        await session.undo()
        assert (services.project / "a.txt").read_text() == "one\ntwo\n"
        assert not (services.project / "b.txt").exists()


async def test_while_the_changes_of_an_ended_command_are_taken_over_the_user_is_told_so(
    services: TempServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("placet.tools.bash.SILENT_SECONDS", 0.0)
    async with services.open(services.script([bash("echo ran > b.txt; echo said")], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        (result,) = results(session)
    shown = [str(event.update) for event in services.screen.events]
    assert any("The command has ended. Its changes are taken over" in text for text in shown)
    assert "The command has ended" not in result.output
    assert "The command has ended" not in str(result.metadata)


async def test_a_change_rejected_without_a_word_ends_the_turn_and_leaves_the_files(services: TempServices) -> None:
    services.user.answer = lambda _: PermissionAnswer("reject")
    async with services.open(services.script([bash("echo x >> a.txt; echo said")], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "rejected"

        [result] = results(session)
    assert result.output.startswith("said")
    assert "The user rejected its changes to a.txt" in result.output
    assert (services.project / "a.txt").read_text() == "one\ntwo\n"


async def test_a_change_rejected_with_a_reason_is_told_to_the_model_which_goes_on(services: TempServices) -> None:
    services.user.answer = lambda _: PermissionAnswer("reject", feedback="Use three.")
    async with services.open(services.script([bash("echo x >> a.txt")], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"

        assert "The user said: Use three." in results(session)[0].output
    assert (services.project / "a.txt").read_text() == "one\ntwo\n"


async def test_a_command_that_the_user_allows_by_a_rule_writes_at_once(services: TempServices) -> None:
    script = services.script([bash("echo x >> a.txt")], DONE)
    async with services.open(script, sandbox={}, permission={"bash": "allow"}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)

        assert services.user.asked == []
        assert results(session)[0].metadata["sandbox"] == "inside"
        assert (services.project / "a.txt").read_text() == "one\ntwo\nx\n"
        await session.undo()
        assert (services.project / "a.txt").read_text() == "one\ntwo\n"


async def test_without_overlays_a_contained_command_writes_at_once(services: TempServices) -> None:
    script = services.script([bash("echo x >> a.txt")], DONE)
    async with services.open(script, sandbox={"overlay": "off"}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)

        assert services.user.asked == []
        assert (services.project / "a.txt").read_text() == "one\ntwo\nx\n"


async def test_the_users_own_rule_asks_about_a_contained_command(services: TempServices) -> None:
    script = services.script([bash("python3 -c 1")], DONE)
    async with services.open(script, sandbox={}, permission={"bash": {"python3 *": "ask"}}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)

    assert [request.permission for request in services.user.asked] == ["bash"]


async def test_leaving_is_asked_with_the_models_reason_and_runs_with_the_users_rights(services: TempServices) -> None:
    outside = services.directory / "outside"
    outside.mkdir()
    script = services.script([bash(f"touch {outside}/x", outside="The tool keeps its state there.")], DONE)
    async with services.open(script, sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        [result] = results(session)

    request = services.user.asked[0]
    assert request.permission == "sandbox"
    assert request.command == f"touch {outside}/x"
    assert "The tool keeps its state there." in request.description
    assert result.metadata["sandbox"] == "outside"
    assert (outside / "x").exists()


async def test_a_rejection_to_leave_runs_nothing(services: TempServices) -> None:
    outside = services.directory / "outside"
    outside.mkdir()
    services.user.answer = lambda _: PermissionAnswer("reject")
    script = services.script([bash(f"touch {outside}/x", outside="I must.")], DONE)
    async with services.open(script, sandbox={}) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "rejected"

    assert not (outside / "x").exists()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_a_server_in_a_job_answers_the_next_command(services: TempServices) -> None:
    serve = "python3 -u -m http.server 8765 --bind 127.0.0.1"
    ask = "curl -sS --retry 50 --retry-connrefused --retry-delay 0 --retry-max-time 20 http://127.0.0.1:8765/a.txt"
    script = services.script([bash(serve, background=True)], [bash(ask)], DONE)
    async with services.open(script, sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)

        assert services.user.asked == []
        assert "one\ntwo" in results(session)[1].output


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_an_unknown_host_is_asked_while_the_command_waits_and_a_rejection_is_told(
    services: TempServices,
) -> None:
    def answer(request: PermissionRequest) -> PermissionAnswer:
        return PermissionAnswer("reject" if request.permission == "sandbox" else "once")

    services.user.answer = answer
    async with services.open(services.script([bash("curl -sS http://host.invalid/")], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        [result] = results(session)

    [request] = services.user.asked
    assert (request.permission, request.patterns) == ("sandbox", ("connect host.invalid:80",))
    assert "connect to host.invalid:80 (the user does not want this connection)." in result.output


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_the_preview_of_going_back_names_the_hosts_that_a_command_was_allowed_to_reach(
    services: TempServices,
) -> None:
    line = "curl -sS http://host.invalid/ http://other.invalid/; true"

    def answer(request: PermissionRequest) -> PermissionAnswer:
        return PermissionAnswer("reject" if "other" in str(request.patterns) else "once")

    services.user.answer = answer
    async with services.open(services.script([bash(line)], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        preview = await session.going_back.preview(session.messages[0].id)
    [effect] = preview.effects
    assert effect.text == f"network: host.invalid:80, for a command in the sandbox: {line}"


@pytest.mark.parametrize("line", ["touch made", "touch made; exit 3"])
async def test_a_command_with_the_whole_network_is_named_before_going_back(services: TempServices, line: str) -> None:
    settings = {"network": "allow"}
    async with services.open(services.script([bash(line)], DONE), sandbox=settings) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        preview = await session.going_back.preview(session.messages[0].id)
    assert [effect.text for effect in preview.effects] == [f"network: any host, for a command in the sandbox: {line}"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    ("permission", "reason"),
    [
        (
            {},
            "nobody could be asked about this connection; the user can allow the host with "
            "`--allow 'sandbox:connect host.invalid:80'`",
        ),
        ({"sandbox": {"connect *": "deny"}}, "a rule for `sandbox` denies this connection"),
    ],
)
async def test_a_host_about_which_the_user_was_not_asked_is_not_said_to_be_unwanted(
    services: TempServices, permission: dict[str, Any], reason: str
) -> None:
    def answer(request: PermissionRequest) -> PermissionAnswer:
        raise NobodyToAsk("There is no terminal to ask at.")

    services.user.answer = answer
    script = services.script([bash("curl -sS http://host.invalid/")], DONE)
    async with services.open(script, sandbox={}, permission=permission) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        [result] = results(session)

    assert f"connect to host.invalid:80 ({reason})." in result.output, result.output
    assert "does not want" not in result.output


async def test_a_command_of_plan_is_not_asked_and_can_write_nothing(services: TempServices) -> None:
    script = services.script([bash('python3 -c \'open("b.txt", "w")\'; echo $?')], DONE)
    async with services.open(script, sandbox={}) as sessions:
        session = await sessions.create(title="t", agent="plan")
        await session.prompt(GO)
        [result] = results(session)

    assert services.user.asked == []
    assert "Read-only file system" in result.output
    assert not (services.project / "b.txt").exists()


async def test_a_command_does_not_find_keys(services: TempServices) -> None:
    services.locations.config.mkdir(parents=True, exist_ok=True)
    services.locations.keys.write_text('{"anthropic": "sk-secret-of-the-user"}')
    line = f'python3 -c \'print(open("{services.locations.keys}".replace("#", "")).read())\''
    services.user.answer = lambda _: PermissionAnswer("once")
    async with services.open(services.script([bash(line)], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        [result] = results(session)

    assert "sk-secret-of-the-user" not in result.output
    assert "No such file or directory" in result.output or "Permission denied" in result.output


async def test_nothing_of_a_session_is_left_when_the_session_is_closed(services: TempServices) -> None:
    marker = "echo x > /tmp/kept; python3 -c 'import os; print(os.readlink(\"/proc/self/ns/net\"))'"
    async with services.open(services.script([bash(marker)], [bash("cat /tmp/kept")], DONE), sandbox={}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        first, second = results(session)
        namespace = first.output.splitlines()[0]
        assert second.output.startswith("x")
        assert _in_namespace(namespace)
        await session.close()

        assert not _in_namespace(namespace)
        left = list((services.locations.cache / "sandbox" / "sessions").iterdir())
    assert left == []


async def test_two_first_commands_of_a_session_at_once_share_one_namespace(services: TempServices) -> None:
    sandboxes = CommandSandboxes(services.locations, MachineNotices(services.locations.notices))
    outputs, settings = services.locations.data / "outputs", SandboxSettings()
    both_have_entered = asyncio.Barrier(2)

    async def namespace() -> str:
        offer = await sandboxes.offer(settings, (services.project,), only_reads=False, outputs=outputs)
        assert offer is not None
        await both_have_entered.wait()
        context = sandboxes.contained(
            Command(("true",), services.project, {}),
            offer.containment,
            session_id="s",
            overlays=(),
            ask_host=AsyncMock(return_value=False),
        )
        async with context as contained:
            words = contained.command.arguments
            holder = next(word for word in words if word.startswith("--net="))
            return os.readlink(holder.removeprefix("--net="))

    try:
        first, second = await asyncio.gather(namespace(), namespace())
        assert first == second
        assert _in_namespace(first)
    finally:
        await sandboxes.close()
    assert not _in_namespace(first)


def _in_namespace(namespace: str) -> list[str]:
    """Return the processes in the network namespace."""
    processes: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.readlink(entry / "ns/net") == namespace:
                    processes.append(entry.name)
            except OSError:
                continue
    return processes


@pytest.mark.parametrize("permission", [{}, {"bash": "allow"}])
async def test_where_the_folders_of_the_sandbox_cannot_be_made_no_command_runs_and_the_reason_is_told(
    services: TempServices, permission: dict[str, str]
) -> None:
    services.locations.cache.parent.mkdir(parents=True, exist_ok=True)
    services.locations.cache.write_text("a file\n")
    script = services.script([bash("echo x > made")], DONE)
    async with services.open(script, sandbox={}, permission=permission) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
        assert [type(part.state) for part in parts] == [ToolFailed]
        error = getattr(parts[0].state, "error", "")
        assert error.startswith("The command did not run: a folder of Placet's sandbox cannot be made (")
        assert str(services.locations.cache) in error
        assert (await sessions.sandbox()).startswith("none: ")
    assert not (services.project / "made").exists()


async def test_a_secret_that_the_user_allows_to_read_is_open_for_this_command(
    services: TempServices, tmp_path: Path
) -> None:
    (tmp_path / "hidden").mkdir()
    for name in ("a", "b"):
        (tmp_path / "hidden" / name).write_text(f"KEY {name}\n")
    services.user.answer = lambda _: PermissionAnswer("once")
    unread = base64.b64encode(f"cat {tmp_path}/hidden/*".encode()).decode()  # No reader of the line finds the name.
    lines = (f"cat {tmp_path}/hidden/a | tr K k", f"echo {unread} | base64 -d | bash")
    script = services.script(*([bash(line)] for line in lines), DONE)
    async with services.open(script, sandbox={"denyRead": [str(tmp_path / "hidden")]}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        named, unnamed = results(session)
    assert named.output.startswith("kEY a")
    assert "KEY" not in unnamed.output
    assert [request.permission for request in services.user.asked] == ["external_directory"]
