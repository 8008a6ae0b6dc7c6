"""Commands by `/name` that the ACP front end carries out itself, without a turn."""
