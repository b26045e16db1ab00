"""The Lead API, for partners."""
