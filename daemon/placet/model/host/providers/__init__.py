"""Table of the providers that Placet asks itself, and what differs between the providers on the common wire. Pure."""
