"""Inspection of files: their type, and active content in them."""
