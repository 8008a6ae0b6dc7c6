"""A turn: ask the model, run the tools that the model calls, and ask again, until the model has no more calls."""
