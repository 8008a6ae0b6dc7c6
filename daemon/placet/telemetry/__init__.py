"""Traces and metrics by OpenTelemetry, made from the events of sessions; imported only while an endpoint is set."""
