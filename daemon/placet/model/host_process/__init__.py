"""The model host: a program of its own (`python -m placet.model.host_process`) and the only importer of litellm."""
