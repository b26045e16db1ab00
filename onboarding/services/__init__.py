"""Services: functions that change several rows, or have effects outside the database."""
