"""Names of the providers which are asked with the token of a subscription."""

SUBSCRIPTIONS = frozenset({"chatgpt", "github_copilot"})
"""First parts of the model names; the subscription covers the answers, so an answer has no price."""

_OTHER_NAMES = {"github-copilot": "github_copilot"}


def provider_named(name: str) -> str:
    """Return the provider which a user means by `github-copilot`; another name stays."""
    name = name.strip().lower()
    return _OTHER_NAMES.get(name, name)


_REVOKED_AT = {
    "chatgpt": "OpenAI until you end the access in the security settings of your account, https://chatgpt.com",
    "github_copilot": "GitHub until you revoke the authorization, https://github.com/settings/apps/authorizations (on"
    " GitHub Enterprise, the same page of your host)",
}
"""Where an access stays valid after the sign-out, and where the user ends the access."""

COVERED = "covered by the subscription"
"""Words for the cost of an answer without a price."""


def is_covered(model: str) -> bool:
    """Return whether a subscription covers the answers of the model."""
    return model.partition("/")[0] in SUBSCRIPTIONS


def still_valid(provider: str) -> str:
    """Return the sentence that says where the access of a subscription goes on after the user has signed out."""
    return f"You are signed out of Placet. The access that you gave stays valid at {_REVOKED_AT[provider]}."
