"""Writes: connections, their calls, and who may make them."""
