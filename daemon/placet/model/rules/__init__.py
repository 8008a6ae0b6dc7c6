"""Built-in default model: a few intents, recognised by rules and carried out by the same tools a model would call."""

from placet.model.rules.rules import BuiltinRules

__all__ = ["BuiltinRules"]
