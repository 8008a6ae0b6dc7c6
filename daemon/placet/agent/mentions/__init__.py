"""Mentions in a prompt: parsed, completed, looked up, and put beside the prompt for the model."""
