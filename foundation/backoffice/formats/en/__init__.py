"""Formats of `en`, the language of the pages and mails of applicants and owners."""
