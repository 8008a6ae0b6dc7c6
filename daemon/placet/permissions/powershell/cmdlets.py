"""Commands of PowerShell by what they do: names, aliases, effects on files, and reasons to doubt."""

from collections.abc import Iterator

from placet.permissions.shell.findings import Effect
from placet.permissions.shell.inspection import names

_ALIASES = {
    alias: cmdlet
    for line in """
    Add-Content ac|Clear-Content clc|Clear-Item cli|Compare-Object compare diff|Convert-Path cvpa|Copy-Item copy cp cpi
    Export-Csv epcsv|ForEach-Object foreach %|Format-List fl|Format-Table ft|Format-Wide fw|Get-Alias gal
    Get-ChildItem dir gci ls|Get-Command gcm|Get-Content cat gc type|Get-History ghy h history|Get-Item gi
    Get-ItemProperty gp|Get-Location gl pwd|Get-Member gm|Get-Process gps ps|Get-Service gsv|Get-Unique gu
    Get-Variable gv|Group-Object group|Import-Module ipmo|Invoke-Command icm|Invoke-Expression iex
    Invoke-History ihy r|Invoke-Item ii|Invoke-RestMethod irm|Invoke-WebRequest iwr curl wget|Measure-Object measure
    Move-Item mi move mv|New-Alias nal|New-Item ni|New-PSDrive mount ndr|New-Variable nv|Out-Host oh|Pop-Location popd
    Push-Location pushd|Remove-Item del erase rd ri rm rmdir|Rename-Item ren rni|Resolve-Path rvpa|Select-Object select
    Select-String sls|Set-Alias sal|Set-Content sc|Set-Item si|Set-Location cd chdir sl|Set-Variable set sv
    Sort-Object sort|Start-Job sajb|Start-Process saps start|Start-Sleep sleep|Stop-Process kill spps|Tee-Object tee
    Test-Path tp|Where-Object where ?|Write-Output echo write
    """.splitlines()
    for entry in line.split("|")
    if entry.strip()
    for cmdlet, *aliases in [entry.split()]
    for alias in aliases
}

_WITHOUT_EFFECT = names("""
    Compare-Object Format-List Format-Table Format-Wide Get-Date Get-Location Get-Unique Group-Object Join-Path
    Measure-Object Out-Host Out-Null Out-String Select-Object Sort-Object Split-Path Start-Sleep Write-Error Write-Host
    Write-Output Write-Verbose Write-Warning
""")
"""Cmdlets that only work on their input, or write only to the output."""
_BLOCKS = names("ForEach-Object Where-Object")
"""Cmdlets without any effect beside that of the script block among their arguments."""
_READERS = names("""
    Convert-Path ConvertFrom-Csv ConvertFrom-Json ConvertTo-Csv ConvertTo-Json Get-ChildItem Get-Command Get-Content
    Get-FileHash Get-Help Get-History Get-Item Get-ItemProperty Get-Member Get-Process Get-Service Import-Csv
    Resolve-Path Select-String Set-Location Test-Path
""")
"""Cmdlets that change no file."""
_WRITERS = names("""
    Add-Content Clear-Content Clear-Item Compress-Archive Copy-Item Expand-Archive Export-Csv Move-Item New-Item
    Out-File Remove-Item Rename-Item Set-Content Set-Item Tee-Object mkdir md
""")
"""Cmdlets that change every named file."""

_RUNS_CODE = "it runs code that is not read here"
_CHANGES_SHELL = "it changes what later names mean"
_OTHER_SHELL = "it reads its arguments as another language"
_DOUBTS = {
    name.lower(): reason
    for reason, line in {
        _RUNS_CODE: """
            Add-Type Enter-PSSession Import-Module Invoke-CimMethod Invoke-Command Invoke-Expression Invoke-History
            Invoke-Item Invoke-WmiMethod New-Object Register-EngineEvent Register-ObjectEvent Register-ScheduledTask
            Start-Job Start-Process Start-ThreadJob Trace-Command Measure-Command Use-Command
        """,
        _CHANGES_SHELL: """
            Clear-Alias Import-Alias Import-Clixml New-Alias New-PSDrive New-Variable Remove-Alias Set-Alias Set-Item
            Set-ExecutionPolicy Set-PSBreakpoint Set-Variable Update-FormatData Update-TypeData Using
        """,
        _OTHER_SHELL: """
            bash cmd cscript dash forfiles mshta powershell powershell_ise pwsh regsvr32 rundll32 runas sh wmic wscript
            wsl zsh
        """,
    }.items()
    for name in line.split()
}
_CMDLETS = {
    name.lower(): name
    for name in (*_WITHOUT_EFFECT, *_BLOCKS, *_READERS, *_WRITERS, *_ALIASES.values(), "Invoke-WebRequest")
}


def cmdlet_of(name: str) -> str | None:
    """Return the cmdlet that a name or an alias calls, in its usual spelling; None for other programs."""
    key = name.lower()
    return _ALIASES.get(key) or _CMDLETS.get(key)


def doubt_about(name: str) -> str:
    """Return why a rule for the text of a command cannot vouch for the command, or ""."""
    called = cmdlet_of(name) or program_name(name)
    return _DOUBTS.get(called.lower(), "")


def has_no_effect(cmdlet: str | None) -> bool:
    return cmdlet in _WITHOUT_EFFECT or cmdlet in _BLOCKS


def takes_block(cmdlet: str | None) -> bool:
    return cmdlet in _BLOCKS


def effect_of(cmdlet: str | None, name: str) -> Effect:
    """Return the effect on a file among the arguments."""
    called = cmdlet or name
    if called in _READERS or has_no_effect(cmdlet):
        return "reads"
    return "writes" if called in _WRITERS else "may write"


def program_name(program: str) -> str:
    """Return a program's name without directory and without the endings of Windows."""
    name = program.replace("\\", "/").rpartition("/")[2].lower()
    return name.removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")


def other_names(program: str) -> Iterator[str]:
    """Yield the other names of a program by which a rule may deny the program."""
    cmdlet = cmdlet_of(program)
    yield cmdlet or program_name(program)
    if cmdlet is None:
        yield program.lower()
