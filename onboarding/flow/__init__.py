"""The applicant's journey."""
