"""Claims of a JSON Web Token, read without a check of the signature: the owner's server has just sent the token."""

import base64
import json
from typing import Any

from placet.auth.keys import JsonObject


def claims(token: str) -> JsonObject:
    """Return the claims, or an empty object for a text which is no such token."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        value: Any = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
