"""Places of the files of commands; a store outside the usual place is reported on stderr."""

from placet.frontends.terminal.output import complain
from placet.settings.locations import Locations
from placet.settings.usable_locations import find_usable


def usable_locations() -> Locations:
    """Return the locations. Blocks."""
    return find_usable(complain)
