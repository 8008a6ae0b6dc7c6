"""How careful a session is: one value for all doors, stored with the session, in force from the next call on."""

from typing import Any

import pytest

from change_set_support import GO, call
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.sessions.session import Session
from services_support import TempServices

ONCE = PermissionAnswer("once")
ALLOWED = {"permission": {"bash": {"true *": "allow"}}}
RUN = call("bash", command="true 1", description="t")
AGAIN = call("bash", command="true 2", description="t")
SAY = [{"text": "Done."}]
DELEGATE = call("task", description="d", prompt="p", subagent_type="general")


@pytest.fixture
def services(tmp_path: Any) -> TempServices:
    return TempServices(tmp_path)


def asked(services: TempServices) -> list[str]:
    return [request.title for request in services.user.asked]


async def test_a_session_that_asks_more_asks_about_what_a_rule_allows(services: TempServices) -> None:
    async with services.open(services.script(RUN, SAY, AGAIN, SAY), **ALLOWED) as sessions:
        session = await sessions.create(title="T")
        await session.prompt(GO)
        assert asked(services) == []
        assert (await session.choices.set_caution("more")).caution == "more"
        await session.prompt(GO)
        assert asked(services) == ["true 2"]
        assert services.user.asked[0].rule.endswith("-> ask (this session asks more, over your settings)")


async def test_a_choice_within_a_turn_holds_from_the_next_call_on(services: TempServices) -> None:
    async with services.open(services.script(RUN, AGAIN, AGAIN, SAY), **ALLOWED) as sessions:
        session = await sessions.create(title="T")
        await session.choices.set_caution("more")

        def relax(request: PermissionRequest) -> PermissionAnswer:
            session.keep_running(_set(session, "default"))
            return ONCE

        services.user.answer = relax
        await session.prompt(GO)
        assert asked(services) == ["true 1"]
        assert services.screen.kinds().count("caution_update") == 2


async def _set(session: Session, caution: Any) -> None:
    await session.choices.set_caution(caution)


async def test_a_subagent_is_as_careful_as_the_users_session(services: TempServices) -> None:
    async with services.open(services.script(DELEGATE, RUN, SAY, SAY), **ALLOWED) as sessions:
        session = await sessions.create(title="T")
        await session.choices.set_caution("more")
        await session.prompt(GO)
        assert asked(services)[-1:] == ["true 1"]


async def test_the_choice_is_kept_with_the_session_and_its_forks_and_told_to_other_processes(
    services: TempServices,
) -> None:
    async with services.open() as sessions, TempServices(services.directory).open() as others:
        session = await sessions.create(title="T")
        theirs = await others.load(session.info.id)
        await session.choices.set_caution("less")
        await (await others.load(theirs.info.id)).choices.set_caution("more")
        assert (await sessions.load(session.info.id)).choices.caution == "more"
        updates = [event.update for event in services.screen.events if event.update.kind == "caution_update"]
        assert [update.caution for update in updates] == ["less", "more"]
        assert (await sessions.fork(session.info.id)).choices.caution == "more"
    async with services.open() as sessions:
        assert (await sessions.load(session.info.id)).choices.caution == "more"


async def test_an_imported_session_takes_nothing_over_from_another_user(services: TempServices) -> None:
    async with services.open() as sessions:
        session = await sessions.create(title="T")
        await session.choices.set_caution("less")
        assert (await sessions.import_(await sessions.export(session.info.id, "json"))).choices.caution == "default"


async def test_rules_and_explanations_name_the_session(services: TempServices) -> None:
    async with services.open(**ALLOWED) as sessions:
        session = await sessions.create(title="T")
        fetch = ("webfetch", "https://example.com/")
        bound = await sessions.bound(session_id=session.info.id)
        assert (await sessions.permissions.explain(*fetch, bound)).outcome == "ask"
        await session.choices.set_caution("less")
        bound = await sessions.bound(session_id=session.info.id)
        explained = await sessions.permissions.explain(*fetch, bound)
        assert (explained.outcome, explained.judged[0].rule.source) == ("allow", "this session asks less")
        await session.choices.set_caution("more")
        bound = await sessions.bound(session_id=session.info.id)
        explained = await sessions.permissions.explain("bash", "true 1", bound)
        assert explained.outcome == "ask"
        sources = [rule.source for rule in sessions.permissions.rules(bound)]
        assert "this session asks more, over your settings" in sources
