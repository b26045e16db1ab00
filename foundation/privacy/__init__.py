"""Personal numbers: encrypted in the database, found by blind indexes, shown masked."""
