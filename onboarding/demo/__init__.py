"""Demo data: generated applications for sandboxes and measurements."""
