"""Offer of a model inside Placet, for a user without a model and without a key: the same words in every front end.

The module imports nothing, as the handshake of a client answers with the words before anything else is loaded.
tests/model/test_local_offer.py holds the words equal to the catalog.
"""

COMMAND = "placet models pull qwen2.5-coder-1.5b"
"""Command for a terminal which fetches the model after a question."""
OFFER = (
    f"Without an account, Placet can run a small model on this machine: `{COMMAND}` (1.1 GB, Apache-2.0). It answers "
    "questions about code and makes small changes in short files; it often fails at work over several files, so read "
    "each change before you accept the change."
)
"""Offer with the size, the license, the abilities and the limits of the model."""
