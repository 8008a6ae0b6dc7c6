"""Conversation as the model is given the conversation: history, estimates, pruning, and the plan of a compaction."""
