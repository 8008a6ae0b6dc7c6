# pyright: basic
# litellm is not typed strictly.
"""Tokens of subscriptions for litellm, from the environment of the host instead of litellm's own files and sign-ins.

litellm would begin a sign-in on stdout in the middle of a call, and would keep the tokens in files of its own. litellm
also puts the instructions of another program before Placet's.
"""

import os

import litellm
from litellm.llms.chatgpt import authenticator as chatgpt
from litellm.llms.chatgpt.responses import transformation as chatgpt_responses
from litellm.llms.github_copilot import authenticator as github_copilot
from litellm.llms.github_copilot.chat.transformation import GithubCopilotConfig
from litellm.llms.openai.chat.gpt_transformation import OpenAIGPTConfig
from litellm.llms.openai.openai import OpenAIConfig


class _ChatGptTokens(chatgpt.Authenticator):
    def __init__(self) -> None: ...

    def get_access_token(self) -> str:
        return os.environ.get("CHATGPT_API_KEY", "")

    def get_account_id(self) -> str | None:
        return os.environ.get("CHATGPT_ACCOUNT_ID")


class _CopilotTokens(github_copilot.Authenticator):
    def __init__(self) -> None: ...

    def get_api_key(self) -> str:
        return os.environ.get("GITHUB_COPILOT_API_KEY", "")

    def get_api_base(self) -> str | None:
        return os.environ.get("GITHUB_COPILOT_API_BASE")


def _instructions() -> str:
    return os.environ.get("CHATGPT_DEFAULT_INSTRUCTIONS", "")


def _request_without_retries(
    self: GithubCopilotConfig,
    model: str,
    messages: list,
    optional_params: dict,
    litellm_params: dict,
    headers: dict,
) -> dict:
    body = OpenAIConfig.transform_request(self, model, messages, optional_params, litellm_params, headers)
    return {name: value for name, value in body.items() if name != "max_retries"}


def use_stored_tokens() -> None:
    """Make litellm read the tokens from the environment."""
    for authenticator, ours in (
        (chatgpt.Authenticator, _ChatGptTokens),
        (github_copilot.Authenticator, _CopilotTokens),
    ):
        for name, method in vars(ours).items():
            if callable(method):
                setattr(authenticator, name, method)
    setattr(chatgpt_responses, "get_chatgpt_default_instructions", _instructions)  # noqa: B010 - not exported
    # litellm's handler without OpenAI's SDK knows neither the path below Copilot's address nor its own parameters.
    setattr(GithubCopilotConfig, "get_complete_url", OpenAIGPTConfig.get_complete_url)  # noqa: B010 - a sister class
    GithubCopilotConfig.transform_request = _request_without_retries
    # Copilot takes system messages today.
    litellm.disable_copilot_system_to_assistant = True
