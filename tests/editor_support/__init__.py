"""Real editors without a plugin of ours, in front of the true daemon, by the very snippets that users paste."""
