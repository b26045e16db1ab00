"""Rate limits: events counted per subject and window, shared by every process."""
