"""The environment that commands run in: the user's own, without what looks like a secret."""

import re
from collections.abc import Mapping

_SECRET = re.compile(r"API_?KEY|_KEY(_ID|_BASE)?$|TOKEN(_|$)|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIAL", re.IGNORECASE)


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """What a command the model wrote may see. Judged by name: …_API_KEY, …_TOKEN, …SECRET…, …PASSWORD…, …"""
    return {name: value for name, value in environment.items() if not _SECRET.search(name)}
