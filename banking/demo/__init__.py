"""The demo bank: sample businesses with a history. The same seed creates the same businesses."""
