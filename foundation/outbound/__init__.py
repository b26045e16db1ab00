"""The HTTP client for URLs that partners and assistants choose: only public addresses, in time."""
