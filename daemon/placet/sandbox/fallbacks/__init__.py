"""Backends of the sandbox that lay no mounts: Landlock on Linux without bubblewrap, Seatbelt on macOS."""
