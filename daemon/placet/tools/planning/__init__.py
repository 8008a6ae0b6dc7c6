"""Plans and lists of things to do."""
