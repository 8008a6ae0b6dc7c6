"""Shape of the texts for the setup of an editor or of a plugin: the snippet to paste, and its use."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EditorText:
    """Setup texts of an editor. Places are relative to the home directory."""

    name: str
    title: str
    programs: tuple[str, ...]
    """Commands of the editor; the first command on PATH is asked for the version."""
    place: str
    """File into which the snippet goes."""
    language: str
    """Language of the snippet, for the code block."""
    snippet: str
    mark: str
    """Text that stands in the file once the snippet does."""
    use: str
    limits: str
    tried: str
    also: tuple[str, ...] = ()
    """Other usual places of the snippet."""
