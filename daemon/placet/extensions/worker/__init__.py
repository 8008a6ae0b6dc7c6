"""Process for custom tools and plugins, a program of its own: no extension can stop Placet."""
