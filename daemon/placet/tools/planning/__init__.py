"""Plans and lists of things to do, as the tools keep them."""
