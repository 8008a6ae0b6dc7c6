"""Models of a session: the chosen model, its fallbacks, and the small model."""
