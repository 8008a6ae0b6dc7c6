"""Model host: a separate program (`python -m placet.model.host`) and the only importer of litellm."""
