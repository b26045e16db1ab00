"""The demo bank: businesses worth looking at, the same ones for the same seed."""
