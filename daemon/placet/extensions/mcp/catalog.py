"""Tools, prompts and resources of a server, as last listed."""

from dataclasses import dataclass
from typing import Literal

from placet.core.messages import JsonObject


@dataclass(frozen=True, slots=True)
class OfferedTool:
    name: str
    title: str
    description: str
    schema: JsonObject
    reads_only: bool = False
    """True if the server says that the tool only reads."""
    destroys: bool = False
    """True if the server says that the tool may destroy something."""
    problem: str = ""
    """Reason why the server's description of the tool cannot be used, or ""."""


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class OfferedPrompt:
    name: str
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferedResource:
    uri: str
    """URI, or with `is_template` a pattern of URIs (RFC 6570)."""
    name: str
    description: str = ""
    mime: str = ""
    is_template: bool = False


Kind = Literal["tools", "prompts", "resources"]
KINDS: tuple[Kind, ...] = ("tools", "prompts", "resources")


@dataclass(frozen=True, slots=True)
class Offered:
    tools: tuple[OfferedTool, ...] = ()
    prompts: tuple[OfferedPrompt, ...] = ()
    resources: tuple[OfferedResource, ...] = ()
