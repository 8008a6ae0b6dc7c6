"""Import of pydantic without its plugins."""

import sys
from types import ModuleType

_LOADER = "pydantic.plugin._loader"


def leave_out() -> None:
    """Give pydantic a loader of plugins that finds none, before pydantic builds its first model.

    pydantic's own loader reads the metadata of every installed package, which takes a tenth of the start of a command,
    and Placet has no plugin of pydantic. For a pydantic without this module the call has no effect.
    """
    if _LOADER not in sys.modules:
        loader = ModuleType(_LOADER)
        loader.__dict__["get_plugins"] = tuple
        sys.modules[_LOADER] = loader
