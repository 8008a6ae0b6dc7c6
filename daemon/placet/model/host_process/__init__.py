"""Model host: a separate program (`python -m placet.model.host_process`) and the only importer of litellm."""
