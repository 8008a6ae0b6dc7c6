"""Connection to one editor: JSON-RPC, the open buffers, the client's profile."""
