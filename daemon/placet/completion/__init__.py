"""Inline completion: the text that a model writes at the cursor, checked and cut for the document."""
