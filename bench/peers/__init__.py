"""Peers: the same work as most would write it today, each small and fair, on the same tables."""
