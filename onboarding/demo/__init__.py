"""Applications that are made up, for a sandbox worth looking at and for measurements."""
