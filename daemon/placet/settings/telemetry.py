"""Settings of the telemetry."""

from pydantic import Field

from placet.settings.section import Section


class TelemetrySettings(Section):
    """Traces and metrics by OpenTelemetry: docs/TELEMETRY.md. A project cannot set these settings."""

    endpoint: str | None = Field(default=None, pattern="^https?://")
    """Address of an OTLP collector (HTTP), for example `http://127.0.0.1:4318`. Without an address nothing is sent.
    OTEL_EXPORTER_OTLP_ENDPOINT has the same effect.
    """
    content: bool = False
    """Send prompts, answers, and the arguments and results of tools too."""
