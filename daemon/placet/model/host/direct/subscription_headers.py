"""Headers of the requests which a subscription covers. Pure but for the ids of requests.

Placet names itself where litellm names another program. GitHub takes requests of known integrations only, and the
name of the integration is litellm's.
"""

import uuid
from collections.abc import Mapping
from typing import Any

from placet import __version__
from placet.auth.subscriptions.github_copilot import EDITOR_HEADERS
from placet.model import frames
from placet.model.host.prompt import ProviderPrompt

_ORIGINATOR = "placet"
_COPILOT = {
    "copilot-integration-id": "vscode-chat",
    "openai-intent": "conversation-panel",
    "x-github-api-version": "2025-04-01",
    "x-vscode-user-agent-library-version": "electron-fetch",
    "user-agent": f"Placet/{__version__}",
    **EDITOR_HEADERS,
}


def subscription_headers(
    provider: str, ask: frames.Ask, prompt: ProviderPrompt, environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the headers for the provider; none for a provider which is asked with a key."""
    match provider:
        case "chatgpt":
            return _for_chatgpt(ask, environment)
        case "github_copilot":
            return _for_copilot(prompt)
        case _:
            return {}


def _for_chatgpt(ask: frames.Ask, environment: Mapping[str, str]) -> dict[str, str]:
    headers = {
        "originator": environment.get("CHATGPT_ORIGINATOR") or _ORIGINATOR,
        "user-agent": environment.get("CHATGPT_USER_AGENT") or f"Placet/{__version__}",
        "accept": "text/event-stream",
        # One id for a session: the server finds its cache by the id.
        "session_id": ask.cache_key or str(uuid.uuid4()),
    }
    if account := environment.get("CHATGPT_ACCOUNT_ID"):
        headers["chatgpt-account-id"] = account
    return headers


def _for_copilot(prompt: ProviderPrompt) -> dict[str, str]:
    """Return the headers of GitHub. A plan counts the requests of the user, and not the steps of the agent after it."""
    messages = prompt.messages
    is_from_user = bool(messages) and messages[-1].role == "user"
    headers = {**_COPILOT, "x-request-id": str(uuid.uuid4()), "x-initiator": "user" if is_from_user else "agent"}
    if any(_has_image(prompt.message(message).get("content")) for message in messages):
        headers["copilot-vision-request"] = "true"
    return headers


def _has_image(content: Any) -> bool:
    return isinstance(content, list) and any(item.get("type") == "image_url" for item in content)
