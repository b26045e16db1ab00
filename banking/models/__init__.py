"""The bank's tables, one module per noun."""

from banking.models.users import User

__all__ = ["User"]
