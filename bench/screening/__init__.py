"""A labelled set of invented names, and the share of the names that the screening finds."""
