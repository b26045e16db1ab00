"""Leads: created and changed by partners, filled in and submitted by applicants."""
