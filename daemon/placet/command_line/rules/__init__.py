"""Commands for permissions: rules, the sandbox, and trust in a project."""
