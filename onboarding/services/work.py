"""Work that holds as a whole: its rows and its files, done again if it lost a race."""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import TypeVar

from django.db import IntegrityError, transaction

from onboarding.services.documents import intake
from onboarding.services.documents.intake import Store

Result = TypeVar("Result")
RACES = 2  # a call may lose one for the email and one for the uniqueId
_store: ContextVar[Store | None] = ContextVar("store", default=None)


def as_one(work: Callable[[Store], Result]) -> Result:
    """Do some work in one transaction, with its files; or as a part of the work around it.

    It is done again if a concurrent call took the email or the uniqueId in between. The outermost
    work alone does so: a part needs no savepoint, which would take a tenth of a create's CPU.
    Whoever catches what a part raised keeps the half that it did.
    """
    outer = _store.get()
    if outer is not None:
        return work(outer)
    for _ in range(RACES):
        with suppress(IntegrityError):
            return _try(work)
    return _try(work)


def _try(work: Callable[[Store], Result]) -> Result:
    with intake.storing() as store, transaction.atomic():
        within = _store.set(store)
        try:
            return work(store)
        finally:
            _store.reset(within)
