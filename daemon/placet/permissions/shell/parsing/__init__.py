"""Two readings of a command line and their comparison: the grammar's tree and bash's own token rules."""
