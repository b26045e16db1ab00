"""Reads: the assistants that somebody connected, and what they asked."""
