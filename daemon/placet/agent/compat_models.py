"""Names of models in other programs' agents and commands which name no provider."""

FOREIGN_MODELS = frozenset(("default", "haiku", "inherit", "opus", "opusplan", "sonnet"))


def is_foreign_model(name: object) -> bool:
    return isinstance(name, str) and name.strip().lower() in FOREIGN_MODELS
