"""The forms of the applicant's flow, one module per step."""
