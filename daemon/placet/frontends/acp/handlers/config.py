"""`session/set_config_option`."""

from placet.core.effort import LEVELS, read_effort
from placet.core.errors import RequestError, SettingsError
from placet.frontends.acp.config_options import (
    CAUTION,
    CAUTION_CHOICES,
    DEFAULT_EFFORT,
    EFFORT,
    MODE,
    MODEL,
    PROFILE,
    PROFILES,
    REVIEW,
)
from placet.frontends.acp.connection.rpc_errors import invalid_params
from placet.frontends.acp.door import Door
from placet.frontends.acp.protocol.requests import ConfigOptions, SetConfigOption
from placet.permissions.caution import Caution
from placet.sessions.turns.choices import SessionChoices
from placet.settings.profile import read_profile
from placet.settings.review_modes import REVIEW_MODES, review_mode


async def set_config_option(door: Door, params: SetConfigOption) -> ConfigOptions:
    """Change an option of the session, and return all options. Raises RpcError for an unknown option or value."""
    if not isinstance(params.value, str):
        raise invalid_params("value: expected a string, as no option of Placet is a boolean")
    workspace, opened = door.opened(params.session_id)
    session = await workspace.sessions.load(params.session_id)
    try:
        with opened.choosing():
            await _choose(session.choices, params.config_id, params.value)
    except (RequestError, SettingsError) as error:
        raise invalid_params(str(error)) from error
    return ConfigOptions(workspace.told_options(opened, session))


async def _choose(choices: SessionChoices, option: str, value: str) -> None:
    """Change the option. Raises RequestError, SettingsError, RpcError."""
    match option:
        case "mode":
            await choices.set_agent(value)
        case "model":
            await choices.set_model(value)
        case "review":
            if (mode := review_mode(value)) is None:
                raise invalid_params(f"value: expected one of {', '.join(REVIEW_MODES)}, and got `{value}`")
            await choices.set_review(mode)
        case "caution":
            cautions: dict[str, Caution] = {caution: caution for caution in CAUTION_CHOICES}
            if value not in cautions:
                raise invalid_params(f"value: expected one of {', '.join(cautions)}, and got `{value}`")
            await choices.set_caution(cautions[value])
        case "effort":
            effort = read_effort(value)
            if effort is None and value != DEFAULT_EFFORT:
                expected = ", ".join((DEFAULT_EFFORT, *LEVELS))
                raise invalid_params(f"value: expected one of {expected}, or a number of tokens, and got `{value}`")
            await choices.set_effort(effort)
        case "profile":
            if value not in PROFILES:
                raise invalid_params(f"value: expected one of {', '.join(PROFILES)}, and got `{value}`")
            await choices.set_profile(read_profile(value))
        case _:
            names = ", ".join((MODE, MODEL, EFFORT, PROFILE, REVIEW, CAUTION))
            raise invalid_params(f"configId: expected one of {names}, and got `{option}`")
