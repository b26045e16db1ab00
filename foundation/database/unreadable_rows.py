"""Unreadable rows: their values were written past the programs, and reading them raises.

Examples are an encrypted value of another row, a list where a column holds an object, and a date
that Python cannot hold. A proof that ended there would name none of the faults after it.
"""

from django.db import InterfaceError, OperationalError


def describe(exc: Exception) -> str:
    """Return the fault that an exception stands for, without the values that raised it.

    Raises: the exception itself if it tells of the connection and not of the rows.
    """
    if isinstance(exc, (OperationalError, InterfaceError)):
        raise exc
    return f"cannot be read, since it holds a value that no program writes ({type(exc).__name__})"
