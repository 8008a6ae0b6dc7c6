"""The process that custom tools and plugins run in, a program of its own: nothing they do can stop Placet."""
