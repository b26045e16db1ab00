"""A labelled set of invented names, and how much of it the screening finds."""
