"""Settings of the user: the model of the settings, the sources, and the locations of Placet's files.

A name is imported on first use: pydantic's models of the settings take long to import, and commands that need the
locations alone do without.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.settings.load import load_settings as load_settings
    from placet.settings.locations import Locations as Locations
    from placet.settings.locations import default_locations as default_locations
    from placet.settings.mcp import McpAuthorization as McpAuthorization
    from placet.settings.mcp import McpServerSettings as McpServerSettings
    from placet.settings.model_options import ModelSettings as ModelSettings
    from placet.settings.models import AgentSettings as AgentSettings
    from placet.settings.models import CommandSettings as CommandSettings
    from placet.settings.models import CompactionSettings as CompactionSettings
    from placet.settings.models import CostCaps as CostCaps
    from placet.settings.models import DaemonSettings as DaemonSettings
    from placet.settings.models import DiagnosticsSettings as DiagnosticsSettings
    from placet.settings.models import EditSettings as EditSettings
    from placet.settings.models import LanguageSettings as LanguageSettings
    from placet.settings.models import PluginSettings as PluginSettings
    from placet.settings.models import SearchSettings as SearchSettings
    from placet.settings.models import ServerSettings as ServerSettings
    from placet.settings.models import Settings as Settings
    from placet.settings.models import WrittenAgents as WrittenAgents
    from placet.settings.permission import Action as Action
    from placet.settings.providers import ProviderSettings as ProviderSettings
    from placet.settings.section import Section as Section

_MODULES = {
    "load_settings": "load",
    "Locations": "locations",
    "default_locations": "locations",
    "Action": "permission",
    "McpAuthorization": "mcp",
    "McpServerSettings": "mcp",
    "ModelSettings": "model_options",
    "ProviderSettings": "providers",
    "Section": "section",
    **dict.fromkeys(
        (
            "AgentSettings",
            "CommandSettings",
            "CompactionSettings",
            "CostCaps",
            "DaemonSettings",
            "DiagnosticsSettings",
            "EditSettings",
            "LanguageSettings",
            "PluginSettings",
            "SearchSettings",
            "ServerSettings",
            "Settings",
            "WrittenAgents",
        ),
        "models",
    ),
}
"""Module of each name."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value
