"""Measurements: each a module that starts what it measures and prints figures."""
