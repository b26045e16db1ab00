"""Readers of bank files: what a file says, line by line; nothing here knows the database."""
