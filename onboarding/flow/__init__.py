"""Flow: the pages of applicants and owners, to apply, sign, follow up, and ask for changes."""
