"""Signals of the banking app, for apps that it does not import."""

from django.dispatch import Signal

status_began = Signal()
"""Sent in the writer's transaction when rows of one model begin a status.

The sender is the model: Account (closed), Card (frozen) or BillPayment (settled, failed). `rows`
are the rows, all of the same status, and `at` is the time.
"""

staff_left = Signal()
"""Sent in the transaction in which an account of staff is deactivated.

The sender is User. `user` is the person, `by` the administrator, and `at` the time.
"""
