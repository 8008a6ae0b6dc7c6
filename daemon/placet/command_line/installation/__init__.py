"""Commands for the installation, its documentation and its schemas."""
