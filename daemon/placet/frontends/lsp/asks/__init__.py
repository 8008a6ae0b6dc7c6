"""Permission requests and questions on the screen of an editor, with and without Placet's own plugin."""
