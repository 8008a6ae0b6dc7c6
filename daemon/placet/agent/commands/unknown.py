"""Words about a prompt that begins with `/name` of no command."""

import os
from collections.abc import Callable, Collection

from placet.agent.commands.template import call_in
from placet.core.spelling import near
from placet.core.visible_text import spelled_out

MOST_NEAR = 2
"""Commands that are named as what the user may mean."""


def unknown_command(text: str, known: Collection[str], exists: Callable[[str], bool] = os.path.lexists) -> str | None:
    """Return why the prompt is not sent, with the nearest of the `known` names; None for a prompt that may be sent.

    A path begins no command: `/users/7`, `/a.txt`, and a name as `/tmp` for which `exists` finds a file.
    """
    call = call_in(text)
    if call is None or call.name in known or "/" in call.name or "." in call.name:
        return None
    if exists(f"/{call.name}"):
        return None
    meant = " or ".join(f"`/{name}`" for name in near(call.name.lower(), known, most=MOST_NEAR))
    guess = f" Did you mean {meant}?" if meant else ""
    return (
        f"There is no command `/{spelled_out(call.name)}`, so nothing was sent.{guess} "
        "`/help` lists the commands; a prompt that begins with another word is sent as it is."
    )
