"""Processes that Placet starts: commands with all their descendants, and background jobs."""
