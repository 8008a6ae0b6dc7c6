"""The ports of the core, served through an editor: documents, language features, events."""
