"""The SQLite backend of Django with triggers that survive migrations."""
