"""`placet review`: decide on the proposed and unreviewed changes of a session."""
