"""Generators of the files that describe Placet's messages, settings and setup; `make docs` runs the package."""
