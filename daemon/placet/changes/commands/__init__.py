"""Changes that a command made on disk: found by snapshots, attributed, and journaled like any change."""
