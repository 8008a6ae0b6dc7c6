"""The floor of the start: a pygls server that does nothing."""

from pygls.lsp.server import LanguageServer

LanguageServer("empty", "1").start_io()
