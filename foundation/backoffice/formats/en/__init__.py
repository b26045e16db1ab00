"""Formats of the language of the back office."""
