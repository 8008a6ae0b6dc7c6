"""HTTP side of a server's address: the last status, and the faults of a sign-in."""

from dataclasses import dataclass

import httpx2


@dataclass(slots=True)
class Statuses:
    """HTTP statuses of one connection's address, and the reason of a failed sign-in to the server."""

    url: str
    """Address without the query; empty for a server that runs as a process."""
    last: int = 0
    wants_sign_in: bool = False
    trouble: str = ""
    """Reason why a sign-in failed, in words for the user."""

    def note_trouble(self, reason: str) -> None:
        """Keep the reason why a sign-in failed until the reason is taken."""
        self.trouble = reason

    def taken_trouble(self) -> str:
        """Return the reason why a sign-in failed, once."""
        trouble, self.trouble = self.trouble, ""
        return trouble

    async def note(self, response: httpx2.Response) -> None:
        if str(response.request.url).partition("?")[0] != self.url:
            return  # The SDK asks further addresses on the way, about signing in.
        self.last = response.status_code
        if self.last < 400:
            self.wants_sign_in = False
        elif self.last == 401:
            self.wants_sign_in = True
