"""Files on disk: read whole, replaced whole or not at all, and told apart by their first bytes."""
