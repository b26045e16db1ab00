"""Retries: repeat a function whose transaction lost a race for a unique value, or a deadlock."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, OperationalError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
MAX_RETRIES = 2
DEADLOCK_DETECTED = "40P01"


def retry_on_conflict(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Make the function run again after an IntegrityError, up to `MAX_RETRIES` times.

    The function must open its own transaction and read the rows that it depends on inside it: the
    next call then sees the row which took the unique value. Not for use inside a transaction.
    """

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        for _ in range(MAX_RETRIES):
            try:
                return function(*args, **kwargs)
            except IntegrityError:
                continue
        return function(*args, **kwargs)

    return call


def retry_on_deadlock(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Make the function run again after PostgreSQL cancelled its transaction to end a deadlock.

    The function is called up to `MAX_RETRIES` times more. It must open its own transaction.
    """

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        for _ in range(MAX_RETRIES):
            try:
                return function(*args, **kwargs)
            except OperationalError as exc:
                if getattr(exc.__cause__, "sqlstate", None) != DEADLOCK_DETECTED:
                    raise
        return function(*args, **kwargs)

    return call
