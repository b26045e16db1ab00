"""Reads of connected assistants and the log of their calls."""
