"""Change sets: staged changes, proposed and not yet written, and unreviewed changes, written and not yet decided."""
