"""HTTP/1.1 client of the model host, on asyncio and httptools: small, and loaded in a few milliseconds."""
