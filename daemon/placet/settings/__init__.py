"""What the user can set, where it is written, and where Placet keeps its things."""

from placet.settings.loading import load_settings as load_settings
from placet.settings.locations import Locations as Locations
from placet.settings.locations import default_locations as default_locations
from placet.settings.permission import Action as Action
from placet.settings.tree import AgentSettings as AgentSettings
from placet.settings.tree import CommandSettings as CommandSettings
from placet.settings.tree import CompactionSettings as CompactionSettings
from placet.settings.tree import CostCaps as CostCaps
from placet.settings.tree import DaemonSettings as DaemonSettings
from placet.settings.tree import DiagnosticsSettings as DiagnosticsSettings
from placet.settings.tree import EditSettings as EditSettings
from placet.settings.tree import LanguageSettings as LanguageSettings
from placet.settings.tree import McpAuthorization as McpAuthorization
from placet.settings.tree import McpServerSettings as McpServerSettings
from placet.settings.tree import ModelSettings as ModelSettings
from placet.settings.tree import PluginSettings as PluginSettings
from placet.settings.tree import SearchSettings as SearchSettings
from placet.settings.tree import Section as Section
from placet.settings.tree import ServerSettings as ServerSettings
from placet.settings.tree import Settings as Settings
from placet.settings.tree import WrittenAgents as WrittenAgents
