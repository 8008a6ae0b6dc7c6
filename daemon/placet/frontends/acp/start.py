"""Start of the front end for clients of the Agent Client Protocol."""


def main(arguments: list[str]) -> int:
    """Serve the Agent Client Protocol on stdin and stdout until the client goes; `arguments` follow `--acp`."""
    options = None
    if arguments:  # A mistake in the arguments is told before anything is served.
        from placet.frontends.acp.options import read_options

        options = read_options(arguments)
    from placet.frontends.acp.handshake import shake_hands

    if (handshake := shake_hands()) is None:
        return 0
    from placet.core import pydantic_plugins

    pydantic_plugins.leave_out()
    from placet.frontends.acp import server

    return server.serve(handshake, options)
