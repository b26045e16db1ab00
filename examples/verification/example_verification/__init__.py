"""Adapters of two invented verification providers."""
