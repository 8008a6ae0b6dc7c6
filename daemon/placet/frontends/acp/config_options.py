"""Options of a session that the client shows as menus: agent, model, effort, profile, review and caution. Pure."""

from collections.abc import Iterable, Sequence

from placet.agent.agents.agent import Agent
from placet.core.effort import LEVELS, Effort, Level, named
from placet.frontends.acp.protocol.requests import ConfigOption, SelectChoice, SelectGroup
from placet.model.hosted import BUILT_IN_PREFIX
from placet.permissions.caution import CAUTION_TITLES, Caution
from placet.settings.profile import ProfileChoice
from placet.settings.review_modes import REVIEW_MODES, ReviewMode

MODE, MODEL, EFFORT, PROFILE, REVIEW, CAUTION = "mode", "model", "effort", "profile", "review", "caution"
"""Ids of the options."""

DEFAULT_EFFORT = "default"
"""Choice of no effort for the session: the agent's effort or the setting counts."""
_EFFORT_NAMES: dict[Level, str] = {
    "none": "No thinking",
    "minimal": "Minimal",
    "low": "Low",
    "medium": "Medium",
    "high": "High",
    "xhigh": "Extra high",
    "max": "Maximal",
}
DEFAULT_PROFILE = "default"
"""Choice of no profile for the session: the setting counts."""
PROFILES: dict[str, SelectChoice] = {
    DEFAULT_PROFILE: SelectChoice(DEFAULT_PROFILE, "Default", "As your settings say"),
    "auto": SelectChoice("auto", "Automatic", "By the size, the context and the speed of a model on your own server"),
    "full": SelectChoice("full", "Full", "All tools"),
    "small": SelectChoice("small", "Small", "Six tools and a short prompt, for a small model"),
    "smallest": SelectChoice(
        "smallest", "Smallest", "No tools: Placet finds the files, and the model answers with whole files"
    ),
}
CAUTION_CHOICES: dict[Caution, SelectChoice] = {
    "more": SelectChoice(
        "more",
        CAUTION_TITLES["more"],
        "Each command, web access and tool of a server is asked, also where a rule, an earlier answer or the sandbox "
        "would allow it",
    ),
    "default": SelectChoice(
        "default",
        CAUTION_TITLES["default"],
        "Your rules and earlier answers decide, and the sandbox where there is one",
    ),
    "less": SelectChoice(
        "less",
        CAUTION_TITLES["less"],
        "Pages and searches of the web are not asked, unless a rule of yours asks; addresses can carry text away",
    ),
}


def config_options(
    *,
    agent: str,
    model: str,
    effort: Effort | None,
    profile: ProfileChoice | None,
    review: ReviewMode,
    caution: Caution,
    agents: Iterable[Agent],
    models: Iterable[str],
    levels: Sequence[Level] | None,
) -> tuple[ConfigOption, ...]:
    """Return the options with the session's present choices, each of which is among its option's choices.

    `agents` are the agents to which the user can talk, `models` the names of the models at hand, and `levels` the
    levels of thinking which the model has, as far as known.
    """
    modes = {
        choice.name: SelectChoice(choice.name, shown_name(choice), choice.description or None) for choice in agents
    }
    if agent not in modes:
        modes[agent] = SelectChoice(agent, agent)
    return (
        ConfigOption(MODE, "Agent", agent, tuple(modes.values()), "Who answers your prompts", "mode"),
        ConfigOption(MODEL, "Model", model, _groups((*models, model)), "Model of the next prompts", "model"),
        ConfigOption(
            EFFORT,
            "Effort",
            DEFAULT_EFFORT if effort is None else str(effort),
            _efforts(effort, LEVELS if levels is None else levels),
            "How much the model thinks before it answers",
            "thought_level",
        ),
        ConfigOption(
            PROFILE,
            "Profile",
            profile or DEFAULT_PROFILE,
            tuple(PROFILES.values()),
            "How much is asked of the model; /status says which profile is in use, and why",
            "_placet_profile",
        ),
        ConfigOption(REVIEW, "Review", review, _reviews(), "When you decide about changes", "_placet_review"),
        ConfigOption(
            CAUTION,
            "How careful",
            caution,
            tuple(CAUTION_CHOICES.values()),
            "What is asked besides changes of files; a rule of yours that denies always holds",
            "_placet_caution",
        ),
    )


def _reviews() -> tuple[SelectChoice, ...]:
    effects = {mode: words.shown("/accept, /reject") for mode, words in REVIEW_MODES.items()}
    return tuple(
        SelectChoice(mode, words.title, effects[mode][:1].upper() + effects[mode][1:])
        for mode, words in REVIEW_MODES.items()
    )


def _efforts(effort: Effort | None, levels: Sequence[Level]) -> tuple[SelectChoice, ...]:
    """Return the choices for the levels of the model, with the present choice."""
    default = SelectChoice(DEFAULT_EFFORT, "Default", "As the agent or your settings say, else as the model does")
    choices = {level: SelectChoice(level, _EFFORT_NAMES[level]) for level in LEVELS if level in levels}
    if effort is not None and effort not in choices:
        note = f"{named(effort)}; the model does not list this effort" if isinstance(effort, str) else named(effort)
        return (default, *choices.values(), SelectChoice(str(effort), note))
    return (default, *choices.values())


def shown_name(agent: Agent) -> str:
    """Return the agent's name for a menu."""
    return agent.name[:1].upper() + agent.name[1:]


def _groups(models: Iterable[str]) -> tuple[SelectGroup, ...]:
    """Return the models in groups of their providers, in the order of the first model of each provider."""
    groups: dict[str, list[SelectChoice]] = {}
    for model in dict.fromkeys(models):
        provider, _, name = model.partition("/")
        groups.setdefault(provider, []).append(SelectChoice(model, name or model))
    names = {BUILT_IN_PREFIX.rstrip("/"): "Built in"}
    return tuple(
        SelectGroup(provider, names.get(provider, provider), tuple(choices)) for provider, choices in groups.items()
    )
