"""Git in the sandbox: the directories of a repository, and what a command may have put there."""
