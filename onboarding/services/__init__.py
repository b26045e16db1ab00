"""Writes: what changes several rows, or has an effect outside."""
