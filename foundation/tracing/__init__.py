"""Traces: request ids and W3C trace contexts of work, and the spans of OpenTelemetry."""
