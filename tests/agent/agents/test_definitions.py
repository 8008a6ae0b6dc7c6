"""The catalog of agents: what is built in, what files say, what the settings say, and what becomes of mistakes."""

import json
from pathlib import Path

import pytest

from placet.agent.agents.agent import AgentCatalog
from placet.agent.agents.definitions import read_catalog
from placet.core.errors import RequestError
from placet.permissions.rules import builtin_rules, evaluate, refuses
from placet.settings import Locations, Settings, load_settings

BUILT_IN = ["build", "plan", "general", "explore", "title", "summary", "compaction", "commit", "judge"]
RULES = builtin_rules(Path("/outputs"))


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    return Locations(*(tmp_path / name for name in ("config", "data", "cache", "log")))


def put(locations: Locations, name: str, text: str, directory: str = "agent") -> Path:
    file = locations.config / directory / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def catalog(locations: Locations, **settings: object) -> AgentCatalog:
    return read_catalog(Settings.model_validate(settings), locations.agents, RULES)


def names(agents) -> list[str]:
    return [agent.name for agent in agents]


def test_the_built_in_agents_are_there_and_those_behind_the_scenes_are_in_no_list(locations) -> None:
    agents = catalog(locations)

    assert agents.problems == ()
    assert names(agents.all) == BUILT_IN
    assert names(agents.primary) == ["build", "plan"]
    assert list(agents.subagents) == ["general", "explore"]
    assert names(agents.visible) == BUILT_IN[:4]
    assert names(agents.hidden) == BUILT_IN[4:]
    assert agents.default.name == "build"


@pytest.mark.parametrize("name", BUILT_IN[4:])
def test_an_agent_behind_the_scenes_is_found_but_cannot_be_chosen_and_has_no_tools(locations, name) -> None:
    agents = catalog(locations, permission="allow")
    agent = agents.find(name)

    with pytest.raises(RequestError, match=r"takes prompts\. Agents: build, plan\."):
        agents.find_primary(name)
    rules = agent.rules_over(RULES, ())
    assert all(refuses(rules, permission) for permission in ("read", "edit", "bash", "anything"))


def test_the_title_is_made_with_some_freedom_and_the_rest_as_the_model_likes(locations) -> None:
    agents = catalog(locations)
    assert [agents.find(name).temperature for name in ("title", "summary", "build")] == [0.5, None, None]


def test_an_unknown_agent_is_refused_with_the_visible_names(locations) -> None:
    with pytest.raises(RequestError, match=r"no agent `nobody`. Agents: build, plan, general, explore\."):
        catalog(locations).find("nobody")


def test_a_file_is_an_agent_named_by_its_path(locations) -> None:
    file = put(
        locations,
        "team/reviewer",
        "---\ndescription: Reads what was\n  changed.\nmode: subagent\nmodel: openai/gpt-5.1\ntemperature: 0.1\n"
        "steps: 7\n---\n\nYou review.\n",
        "agents",
    )
    agent = catalog(locations).find("team/reviewer")

    assert (agent.description, agent.mode, agent.model) == ("Reads what was changed.", "subagent", "openai/gpt-5.1")
    assert (agent.temperature, agent.max_steps, agent.prompt) == (0.1, 7, "You review.")
    assert agent.source == str(file)


def test_an_agent_that_says_nothing_of_itself_works_as_build_does_for_users_and_agents(locations) -> None:
    put(locations, "plain", "")
    agents = catalog(locations)

    assert agents.find("plain").prompt == agents.find("build").prompt
    assert agents.find("plain").description
    assert "plain" in names(agents.primary)
    assert "plain" in agents.subagents


def test_rules_name_the_file_and_the_line_and_outweigh_the_users_for_all(locations) -> None:
    file = put(locations, "docs", "---\npermission:\n  edit:\n    '*': deny\n    '*.md': allow\n---\nYou document.\n")
    agent = catalog(locations).find("docs")
    rules = agent.rules_over(RULES, (*RULES, *builtin_rules(Path("/x"))))

    assert evaluate(rules, "edit", "README.md").action == "allow"
    decided = evaluate(rules, "edit", "a.py")
    assert (decided.action, decided.place) == ("deny", f"{file}:4")


def test_the_older_form_takes_tools_away_and_gives_them_back_as_they_were(locations) -> None:
    put(locations, "reader", "---\ntools:\n  '*': false\n  read: true\n  bash: true\n---\nYou read.\n")
    agent = catalog(locations).find("reader")
    rules = agent.rules_over(RULES, ())

    assert refuses(rules, "edit")
    assert refuses(rules, "webfetch")
    assert evaluate(rules, "read", "a.py").action == "allow"
    assert evaluate(rules, "read", ".env").action == "ask"
    assert evaluate(rules, "bash", "ls").action == "ask"


def test_permissions_outweigh_the_older_form(locations) -> None:
    agents = catalog(locations, agent={"x": {"permission": {"bash": "allow"}, "tools": {"bash": False}}})
    assert evaluate(agents.find("x").rules_over(RULES, ()), "bash", "ls").action == "allow"


def test_settings_are_laid_over_files_field_by_field(locations) -> None:
    file = put(locations, "x", "---\nmodel: a/one\nmaxSteps: 3\npermission: {bash: deny}\n---\nYou are x.\n")
    agents = catalog(locations, agent={"x": {"model": "a/two", "permission": {"bash": {"git *": "ask"}}}})
    agent = agents.find("x")

    assert (agent.model, agent.max_steps, agent.prompt) == ("a/two", 3, "You are x.")
    assert [(rule.pattern, rule.action) for rule in agent.own_rules] == [("*", "deny"), ("git *", "ask")]
    assert agent.source == f"{file}, your settings"


def test_a_built_in_agent_can_be_changed_and_stays_where_it_is_in_the_list(locations) -> None:
    agents = catalog(locations, agent={"build": {"model": "a/one", "temperature": 0}, "explore": {"steps": 2}})

    assert names(agents.all) == BUILT_IN
    assert (agents.find("build").model, agents.find("build").temperature) == ("a/one", 0.0)
    assert agents.find("build").prompt.startswith("You are Placet")
    assert agents.find("explore").max_steps == 2


def test_what_an_agent_must_not_do_holds_whatever_the_user_sets_for_it(locations) -> None:
    agents = catalog(locations, agent={"plan": {"permission": {"edit": "allow"}}})
    assert refuses(agents.find("plan").rules_over(RULES, ()), "edit")


def test_a_disabled_agent_is_gone_and_a_later_source_can_bring_it_back(locations) -> None:
    put(locations, "x", "---\ndisable: true\n---\n")
    assert "x" not in names(catalog(locations).all)
    assert "x" in names(catalog(locations, agent={"x": {"disable": False}}).all)
    assert "plan" not in names(catalog(locations, agent={"plan": {"disable": True}}).primary)


def test_without_build_the_next_agent_is_the_default(locations) -> None:
    assert catalog(locations, agent={"build": {"disable": True}}).default.name == "plan"


def test_someone_to_talk_to_is_always_left(locations) -> None:
    agents = catalog(locations, agent={"build": {"disable": True}, "plan": {"mode": "subagent"}})

    assert agents.default.name == "build"
    assert "No agent is left that takes prompts" in agents.problems[0]


def test_the_default_agent_can_be_set(locations) -> None:
    assert catalog(locations, defaultAgent="plan").default.name == "plan"


@pytest.mark.parametrize("name", ["nobody", "general", "title"])
def test_a_default_agent_that_cannot_be_talked_to_is_a_problem_and_build_is_the_default(locations, name) -> None:
    agents = catalog(locations, default_agent=name)

    assert agents.default.name == "build"
    assert agents.problems == (f"setting `defaultAgent`: no agent `{name}` takes prompts; agents: build, plan",)


def test_a_hidden_subagent_gets_work_and_is_in_no_list(locations) -> None:
    put(locations, "inner", "---\nhidden: true\n---\nYou work inside.\n")
    agents = catalog(locations)

    assert "inner" in agents.subagents
    assert "inner" not in names(agents.visible)
    assert "inner" not in names(agents.primary)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("---\nmodel: a/b\ntemperature: hot\n---\n", ":3: the agent `bad`: `temperature`: "),
        ("---\nmode: boss\n---\n", ":2: the agent `bad`: `mode`: "),
        ("---\nsteps: 0\n---\n", ":2: the agent `bad`: `steps`: "),
        ("---\nmaxSteps: many\n---\n", ":2: the agent `bad`: `maxSteps`: "),
        ("---\npermission:\n  bash:\n    ls: allowed\n---\n", ":4: the agent `bad`: `permission.bash.ls`: expected"),
        ("---\npermission:\n  - edit\n---\n", ":2: the agent `bad`: `permission`: expected an action"),
        ("---\ntools: 3\n---\n", ":2: the agent `bad`: `tools`: "),
        (
            "---\nhidden: no\npermissions: {edit: deny}\n---\n",
            ":3: the agent `bad`: there is no `permissions`; did you",
        ),
        ("---\nmodel: [a\n---\n", ": line 2: its front matter is not YAML: "),
        ("---\nmodel: a\n", "a line of `---` is missing"),
        ("---\n- a\n---\n", "not a list of fields"),
    ],
)
def test_a_wrong_file_is_left_out_and_told_with_its_place(locations, text, told) -> None:
    file = put(locations, "bad", text)
    put(locations, "good", "You are good.")
    agents = catalog(locations)

    assert names(agents.all) == [*BUILT_IN, "good"]
    [problem] = agents.problems
    assert problem.startswith(str(file))
    assert told in problem


def test_a_file_that_is_no_text_is_left_out(locations) -> None:
    file = put(locations, "bad", "")
    file.write_bytes(b"\xff\xfe\x00")
    assert str(file) in catalog(locations).problems[0]


def test_what_only_other_programs_use_is_noted_and_the_agent_is_there(locations) -> None:
    file = put(locations, "x", "---\ncolor: '#ff0000'\nreasoningEffort: high\n---\nYou are x.\n")
    agents = catalog(locations)

    assert "x" in names(agents.all)
    assert agents.problems == (
        f"{file}:2: the agent `x`: Placet ignores the field `color`",
        f"{file}:3: the agent `x`: Placet ignores the field `reasoningEffort`",
    )


@pytest.mark.parametrize("field", [{"mode": "all"}, {"tools": {"read": True}}, {"permission": "allow"}])
def test_an_agent_behind_the_scenes_gets_no_tools_and_no_other_mode(locations, field) -> None:
    agents = catalog(locations, agent={"title": field})

    assert names(agents.primary) == ["build", "plan"]
    assert "cannot be set for the internal agent `title`" in agents.problems[0]


def test_an_agent_behind_the_scenes_can_have_a_model_and_a_prompt_of_its_own(locations) -> None:
    title = catalog(locations, agent={"title": {"model": "a/small", "prompt": "A title."}}).find("title")
    assert (title.model, title.prompt, title.hidden) == ("a/small", "A title.", True)


def test_a_prompt_in_another_file_is_refused_rather_than_taken_for_a_prompt(locations) -> None:
    agents = catalog(locations, agent={"x": {"prompt": "{file:./x.md}"}})
    assert "write the agent as Markdown" in agents.problems[0]
    assert "x" not in names(agents.all)


def test_what_is_wrong_in_the_settings_names_their_file_and_line(locations) -> None:
    file = locations.config / "placet.json"
    file.parent.mkdir()
    file.write_text(
        json.dumps({"agent": {"x": {"model": "a/b"}, "y": {"steps": -1}}, "permission": {"bash": "deny"}}, indent=1)
    )
    settings = load_settings(locations, environment={}, editor={"agent": {"x": {"model": "a/c"}, "z": 1}})
    agents = read_catalog(settings, locations.agents, RULES)

    assert agents.find("x").model == "a/c"
    assert agents.find("x").source == f"{file}, the editor's options"
    assert [problem.split("Input")[0] for problem in agents.problems] == [
        f"{file}:7: the agent `y`: `steps`: ",
        "the editor's options: the agent `z`: expected an object",
    ]


def test_what_is_denied_by_name_binds_subagents_and_a_wildcard_does_not(locations) -> None:
    put(locations, "reader", "---\npermission: {edit: deny, bash: {'*': deny, 'git *': allow}, task: allow}\n---\n")
    put(locations, "chief", "---\npermission: {'*': deny, task: allow}\n---\n")
    agents = catalog(locations)

    assert [(rule.permission, rule.pattern) for rule in agents.find("reader").bounds] == [("edit", "*"), ("bash", "*")]
    assert agents.find("chief").bounds == ()
    assert [rule.permission for rule in agents.find("plan").bounds] == ["edit", "bash"]


CLAUDES = """\
---
name: code-reviewer
description: Expert code reviewer. Use proactively after code changes.
tools: Read, Grep, Glob, Bash
model: sonnet
permissionMode: bypassPermissions
maxTurns: 5
color: purple
---

You are a senior code reviewer.
"""


def test_an_agent_as_claude_code_documents_it_has_the_tools_it_names_and_no_more_rights(locations) -> None:
    file = put(locations, "code-reviewer", CLAUDES)
    agents = catalog(locations)
    agent = agents.find("code-reviewer")

    assert agent.tools == frozenset(("read", "grep", "glob", "bash"))
    assert (agent.model, agent.max_steps, agent.prompt) == (None, None, "You are a senior code reviewer.")
    assert not agent.has("edit")
    assert [evaluate(agent.rules_over(RULES, ()), name, "x").action for name in ("bash", "read")] == ["ask", "allow"]
    assert [problem.replace(str(file), "") for problem in agents.problems] == [
        f"{line}: the agent `code-reviewer`: {problem}"
        for line, problem in (
            (":2", "Placet ignores the field `name`"),
            (":6", "Placet ignores the field `permissionMode`"),
            (":7", "Placet ignores the field `maxTurns`"),
            (":8", "Placet ignores the field `color`"),
            (":5", "`model: sonnet` names no provider, and is ignored"),
        )
    ]


@pytest.mark.parametrize(
    ("tools", "has", "unknown"),
    [
        ("Read, Write, Edit, MultiEdit", {"read", "edit"}, []),
        ("[Read, WebFetch, TodoWrite]", {"read", "webfetch", "todowrite"}, []),
        ("Bash(git diff:*, git log:*), LS, Task", {"bash", "list", "task"}, []),
        ("mcp__github__create_issue, Read", {"github_create_issue", "read"}, []),
        ("Read, Levitate", {"read"}, ["Levitate"]),
        ('""', set(), []),
    ],
)
def test_claude_codes_names_of_tools_are_ours(locations, tools, has, unknown) -> None:
    put(locations, "x", f"---\ntools: {tools}\n---\nDo it.")
    agents = catalog(locations)
    assert agents.find("x").tools == has
    assert [problem.rpartition("matches ")[2] for problem in agents.problems] == [f"`{name}`" for name in unknown]


def test_an_agent_that_inherits_model_and_tools_says_nothing_of_either(locations) -> None:
    put(locations, "x", "---\nmodel: inherit\ndisallowedTools: Write, Bash\n---\nDo it.")
    agents = catalog(locations)
    agent = agents.find("x")
    assert (agent.model, agent.tools, agents.problems) == (None, None, ())
    assert [refuses(agent.rules_over(RULES, ()), name) for name in ("edit", "bash", "read")] == [True, True, False]


def test_tools_that_are_named_narrow_an_agent_that_is_built_in_and_never_widen_it(locations) -> None:
    put(locations, "explore", "---\ntools: Read, Edit\n---\nLook.")
    assert catalog(locations).find("explore").tools == frozenset(("read",))


def test_an_agent_as_opencode_documents_it_is_one_of_ours(locations) -> None:
    put(
        locations,
        "review",
        "---\ndescription: Reviews code for quality and best practices\nmode: subagent\n"
        "model: anthropic/claude-sonnet-4-20250514\ntemperature: 0.1\ntools:\n  write: false\n  edit: false\n"
        "  bash: false\npermission:\n  webfetch: deny\n---\n\nYou are in code review mode.\n",
    )
    agents = catalog(locations)
    agent = agents.find("review")
    rules = agent.rules_over(RULES, ())

    assert agents.problems == ()
    assert (agent.mode, agent.model, agent.temperature) == ("subagent", "anthropic/claude-sonnet-4-20250514", 0.1)
    assert [name for name in ("edit", "bash", "webfetch", "read") if refuses(rules, name)] == [
        "edit",
        "bash",
        "webfetch",
    ]
