"""Client for the user's MCP servers (Model Context Protocol), by the official SDK, loaded when the first server starts.

Only connection.py and its imports (asking, stdio, watched, transports, oauth, callback, sign_in_store, statuses) import
the SDK; all other modules here are loaded with the services.
"""
