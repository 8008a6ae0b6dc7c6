"""Placet's own name and address, for providers that list the programs of their callers."""

from functools import cache

NAME = "Placet"


@cache
def home_page() -> str | None:
    """Return the address of the project from the metadata of the installed package; None for a build without one.

    packaging/hatch_hooks.py puts the address into the metadata of a release.
    """
    from importlib.metadata import PackageNotFoundError, metadata  # Takes as long as a request is built.

    try:
        lines = metadata("placet").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    addresses = {label.strip(): address.strip() for label, _, address in (line.partition(",") for line in lines)}
    return addresses.get("Homepage") or addresses.get("Repository")


def for_openrouter() -> dict[str, str]:
    """Return the headers of https://openrouter.ai/docs/app-attribution."""
    address = home_page()
    return {"x-title": NAME} if address is None else {"http-referer": address, "x-title": NAME}


def for_novita() -> dict[str, str]:
    return {"x-novita-source": NAME.lower()}
