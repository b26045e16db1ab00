"""Malware scans of files."""
