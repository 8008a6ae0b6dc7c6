"""What a command line really runs and touches. Pure: text in, findings out; what cannot be proved is said to be so."""

from placet.permissions.shell.findings import Findings, FoundCommand, unread
from placet.permissions.shell.walk import analyse

__all__ = ["Findings", "FoundCommand", "analyse", "unread"]
