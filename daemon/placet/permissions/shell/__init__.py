"""Analysis of a command line: the commands that really run and the files touched. Pure: text in, findings out; the
findings say so where a proof is not possible."""

from placet.permissions.shell.analyzer import analyse
from placet.permissions.shell.findings import Findings, FoundCommand, unread

__all__ = ["Findings", "FoundCommand", "analyse", "unread"]
