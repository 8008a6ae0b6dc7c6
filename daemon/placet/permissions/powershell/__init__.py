"""Analysis of a line of PowerShell, with the same findings as the analysis of bash. Pure."""

from placet.permissions.powershell.analyzer import analyse

__all__ = ["analyse"]
