"""Handlers of the requests and notifications of a client."""
