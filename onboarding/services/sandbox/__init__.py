"""Sandbox: simulated outcomes, test data and a clock that can be moved."""
