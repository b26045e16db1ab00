"""Verification providers: services outside of the bank that check persons and businesses."""
