"""A text editor for tests: real buffers, undo, saving, and the quirks of the editors that users have.

`editor` is the model, `profiles` the editors it can be, `memory` connects it in-process, `client` to a real daemon.
"""
