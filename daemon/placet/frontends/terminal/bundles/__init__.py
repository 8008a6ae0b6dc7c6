"""`placet plugin`: the bundles of the user."""
