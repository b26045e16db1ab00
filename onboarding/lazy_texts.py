"""The type of texts for people: a string, or a lazy translation in the reader's language."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise
else:
    StrOrPromise = str  # the stubs are there for the type checker only

__all__ = ["StrOrPromise"]
