"""Readers of bank files, line by line; no module here uses the database."""
