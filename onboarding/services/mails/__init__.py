"""Mails: queued with the change that causes them, sent by a worker."""
