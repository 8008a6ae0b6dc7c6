"""The ports of the core, served through the client."""
