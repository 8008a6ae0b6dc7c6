"""Staged changes: proposed and not yet written; the user reviews the changes whenever they like."""
