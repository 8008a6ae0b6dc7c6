"""Shapes of the messages of the Agent Client Protocol, version 1, as far as Placet sends or reads the messages."""
