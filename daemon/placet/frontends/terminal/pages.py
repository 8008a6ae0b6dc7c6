"""Pages of the web for the user of a terminal."""

import asyncio


async def open_page(address: str) -> None:
    """Open the address in a browser, if the machine has a browser."""
    import webbrowser  # Few runs open a page.

    await asyncio.to_thread(webbrowser.open, address)
