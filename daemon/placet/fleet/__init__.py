"""Fleets: many tasks, each in a clone of its own, with one result for each task."""
