"""Check constraints and unique constraints of models."""

from django.db.models import CheckConstraint, Expression, Q, UniqueConstraint


def check(name: str, condition: Q | Expression) -> CheckConstraint:
    """Return a constraint that refuses rows which do not meet a condition."""
    return CheckConstraint(name=name, condition=condition)


def unique(name: str, *fields: str, condition: Q | None = None) -> UniqueConstraint:
    """Return a constraint that refuses rows with equal values in all of the fields.

    With a condition, only rows that meet it are compared.
    """
    return UniqueConstraint(name=name, fields=fields, condition=condition)
