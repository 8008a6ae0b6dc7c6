"""Handlers of the methods that an editor calls."""
