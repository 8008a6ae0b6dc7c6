"""Way through litellm, for every provider and option that the direct way does not know. Loaded at the first need."""
