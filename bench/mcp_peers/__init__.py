"""Peers of the tool server: small and fair, each on the same tables."""
