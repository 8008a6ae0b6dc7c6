"""Names of the providers which are asked with the token of a subscription."""

SUBSCRIPTIONS = frozenset({"chatgpt", "github_copilot"})
"""First parts of the model names; the subscription covers the answers, so an answer has no price."""

_OTHER_NAMES = {"github-copilot": "github_copilot"}


def provider_named(name: str) -> str:
    """Return the provider which a user means by `github-copilot`; another name stays."""
    name = name.strip().lower()
    return _OTHER_NAMES.get(name, name)


def is_covered(model: str) -> bool:
    """Return whether a subscription covers the answers of the model."""
    return model.partition("/")[0] in SUBSCRIPTIONS
