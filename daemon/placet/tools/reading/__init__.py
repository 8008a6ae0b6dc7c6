"""Parts of the tool `read`: pages, notebooks, attachments, and names like a missing name."""
