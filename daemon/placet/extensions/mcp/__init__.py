"""MCP servers (Model Context Protocol) of the user's, by the official SDK, which is loaded when the first one starts.

Only connection.py and what it imports (asking, stdio, watched, transports, oauth, callback, sign_in_store, statuses)
import the SDK; all else here is loaded with the house.
"""
