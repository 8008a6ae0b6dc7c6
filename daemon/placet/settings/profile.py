"""Profile of the work with a model: how much a request asks of the model. Pure."""

from typing import Literal

from msgspec import Struct

Profile = Literal["full", "small", "smallest"]
"""`full`: all tools. `small`: six tools with short descriptions and a short prompt. `smallest`: no tools; Placet finds
the files, and the model answers once with whole files.
"""
ProfileChoice = Literal["auto", "full", "small", "smallest"]
"""Choice of the user; `auto` leaves the choice to Placet."""
PROFILE_CHOICES: tuple[ProfileChoice, ...] = ("auto", "full", "small", "smallest")


class ProfileInUse(Struct, frozen=True):
    """Profile for a model, with the reason in words for the user."""

    profile: Profile
    reason: str


def read_profile(text: str) -> ProfileChoice | None:
    """Return the choice which the user wrote, or None for a text which is no choice."""
    return next((choice for choice in PROFILE_CHOICES if choice == text), None)
