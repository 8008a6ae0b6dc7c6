"""MCP servers (Model Context Protocol) of the user's, by the official SDK, which is loaded when the first one starts.

Only sdk.py's row (connection, stdio, watched, answers, oauth) imports the SDK; all else here is loaded with the house.
"""
