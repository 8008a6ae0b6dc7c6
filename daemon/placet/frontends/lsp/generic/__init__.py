"""Placet in an editor without a plugin: commands, chat documents, code actions."""
