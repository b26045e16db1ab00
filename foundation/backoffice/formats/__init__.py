"""Formats of days and times in the back office, for FORMAT_MODULE_PATH."""
