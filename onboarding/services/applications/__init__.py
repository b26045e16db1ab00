"""Applications: their lifecycle, attempts, expiry, reminders and the account they open."""
