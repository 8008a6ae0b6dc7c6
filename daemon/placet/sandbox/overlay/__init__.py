"""Overlays over the roots: the writes of a contained command land in a layer, and are proposed to the user."""
