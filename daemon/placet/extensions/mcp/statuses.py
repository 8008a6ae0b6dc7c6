"""What an address answered last that is no answer to a request."""

from dataclasses import dataclass

import httpx2


@dataclass(slots=True)
class Statuses:
    """The HTTP statuses of one connection's address, and what went wrong in signing in to the server."""

    url: str = ""
    last: int = 0
    wants_sign_in: bool = False
    trouble: str = ""
    """Why a sign-in failed, in words for the user."""

    def taken_trouble(self) -> str:
        """Return the reason why a sign-in failed, once."""
        trouble, self.trouble = self.trouble, ""
        return trouble

    async def note(self, response: httpx2.Response) -> None:
        if str(response.request.url).partition("?")[0] != self.url:
            return  # The SDK asks others on the way, about signing in.
        self.last = response.status_code
        if self.last < 400:
            self.wants_sign_in = False
        elif self.last == 401:
            self.wants_sign_in = True
