"""Commands for stored sessions, and for their cost."""
