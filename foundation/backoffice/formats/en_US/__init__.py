"""Formats of `en-us`, the language of the back office."""
