"""The connection to the client: messages in and out, requests both ways."""
