"""Flow: the pages on which an applicant completes and signs an application."""
