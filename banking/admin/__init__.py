"""The back office and the bank's screens in it, one module per noun."""

from banking.admin import users

__all__ = ["users"]
