"""Settings of the model host for its process and libraries, made before the host loads the libraries."""

import os
import signal
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import TextIO, cast

from placet.auth import secret_handoff
from placet.model.host.redaction import RedactedStream
from placet.project.processes.process_secrets import hide_memory

_LITELLM_ENVIRONMENT = {
    # Otherwise the import fetches a price list from the network.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # Otherwise the import looks for a .env file and loads it.
    "LITELLM_MODE": "PRODUCTION",
    # Requests of openai/ are built without the OpenAI SDK, at a quarter of the cost for long histories.
    "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER": "true",
    # Otherwise a stream of 100 equal chunks (a table's dashes) is taken for a loop and aborted.
    "REPEATED_STREAMING_CHUNK_LIMIT": str(1 << 30),
}


def close_to_others() -> None:
    """Close this process, which holds the keys, to other processes of the user, and keep the keys out of core files."""
    hide_memory()
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def redact_what_is_printed() -> None:
    """Remove the keys from all later output of Python code; the output goes to stderr, the host's log."""
    sys.stderr = sys.stdout = cast("TextIO", RedactedStream(sys.stderr))


def take_secrets() -> None:
    """Put the secrets from the daemon into the environment, where litellm looks for secrets.

    Variables set after the start are in this process's memory alone, and not in its /proc/PID/environ.
    """
    try:
        os.environ.update(secret_handoff.received(0))
    except EOFError:
        # The daemon is gone.
        os._exit(0)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C: a terminal sends the interrupt to this process too, but the user means the turn, not the host."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def write_bytecode() -> None:
    """Keep litellm compiled despite PYTHONDONTWRITEBYTECODE: without bytecode each start takes twice the time.

    The host never imports a module of a user's project, so the host writes no bytecode into a project.
    """
    sys.dont_write_bytecode = False


def trust_authorities(environment: MutableMapping[str, str]) -> None:
    """Set SSL_CERT_FILE, the only such variable litellm reads, from the variables of requests and curl if unset."""
    if environment.get("SSL_CERT_FILE"):
        return
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        path = environment.get(name)
        if path and Path(path).is_file():
            environment["SSL_CERT_FILE"] = path
            return


def configure_litellm() -> None:
    """Set the variables which litellm reads during its import."""
    os.environ.update(_LITELLM_ENVIRONMENT)
