"""A session's conversation, as the fold of its events; and the events of a conversation, as its replay."""
