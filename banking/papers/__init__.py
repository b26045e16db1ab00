"""The bank's papers: frozen dataclasses in, PDF bytes out; no models, no database, no clock."""
