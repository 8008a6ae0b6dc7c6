"""Sign-ins with a subscription instead of a key: the device flows of the owners, and the renewal of the tokens."""
