"""The bank's documents: frozen dataclasses in, PDF bytes out; no models, no database, no clock."""
