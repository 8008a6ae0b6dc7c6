"""Commands for models, keys and extensions."""
