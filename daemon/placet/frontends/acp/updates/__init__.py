"""Session updates for the client, made from events of sessions."""
