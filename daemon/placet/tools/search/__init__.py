"""Parts of the search tools: the folders to search, the newest hits, and unsaved buffers."""
