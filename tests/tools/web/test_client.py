"""That a certificate is checked against the name, though the address is what is connected to."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web

from placet.core.errors import ToolError
from placet.tools.web.client import Limits, fetch, parse_url

x509 = pytest.importorskip("cryptography.x509")


def certificate(directory: Path, name: str) -> Path:
    """A self-signed certificate for the name, its key behind it."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = directory / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


async def at_this_machine(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


async def anything(addresses: object) -> None:
    pass


async def test_a_certificate_must_be_for_the_name_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    file = certificate(tmp_path, "right.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=f"hello {request.host.partition(':')[0]}")

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    port = runner.addresses[0][1]

    async def get(host: str) -> bytes:
        url = parse_url(f"https://{host}:{port}/")
        answer = await fetch(url, accept="*/*", limits=Limits(1000), may_enter=anything, resolve=at_this_machine)
        return answer.body

    try:
        assert await get("right.example") == b"hello right.example"
        with pytest.raises(ToolError, match=r"cannot be reached: .*(CERTIFICATE_VERIFY_FAILED|ertificate)"):
            await get("wrong.example")
    finally:
        await runner.cleanup()
