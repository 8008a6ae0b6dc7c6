"""`placet fleet`: many tasks at once, their results and their patches."""
