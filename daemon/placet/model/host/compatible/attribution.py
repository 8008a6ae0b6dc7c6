"""Placet's own name in the place of litellm's, in the requests that litellm makes."""

from collections.abc import MutableMapping

from placet import __version__
from placet.model.host import own_name

_LITELLMS = {"http-referer": "https://litellm.ai", "x-title": "liteLLM", "x-novita-source": "litellm"}
"""Headers by which litellm names itself; the value is another one where the user names a program."""


def name_placet(headers: MutableMapping[str, str]) -> None:
    """Replace litellm's name and address; an address that Placet does not know is left out."""
    own = own_name.for_openrouter() | own_name.for_novita()
    for name, value in _LITELLMS.items():
        if headers.get(name) == value:
            if name in own:
                headers[name] = own[name]
            else:
                del headers[name]
    if headers.get("user-agent", "").startswith("litellm/"):
        headers["user-agent"] = f"{own_name.NAME}/{__version__}"
