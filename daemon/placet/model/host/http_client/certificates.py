"""Settings of TLS by the variables which litellm reads, so that both ways to a model trust the same servers."""

import contextlib
import ssl
from collections.abc import Mapping
from pathlib import Path


def tls_context(environment: Mapping[str, str]) -> ssl.SSLContext:
    """Return the context for all servers. Takes some 15 ms."""
    verify = environment.get("SSL_VERIFY", "")
    context = ssl.create_default_context(cafile=_authorities(verify, environment.get("SSL_CERT_FILE", "")))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ciphers := environment.get("SSL_SECURITY_LEVEL") or environment.get("LITELLM_SSL_CIPHERS"):
        context.set_ciphers(ciphers)
    if curve := environment.get("SSL_ECDH_CURVE"):
        with contextlib.suppress(
            ValueError
        ):  # As in litellm, the usual curves count if OpenSSL does not know this one.
            context.set_ecdh_curve(curve)
    if verify.strip().lower() == "false" and not Path(verify).exists():
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _authorities(*files: str) -> str:
    """Return the first file that exists, or else the authorities of Mozilla."""
    for file in files:
        if file and Path(file).exists():
            return file
    import certifi

    return certifi.where()
