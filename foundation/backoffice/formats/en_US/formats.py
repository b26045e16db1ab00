"""Formats that Django reads for `en-us`, the language of the back office."""

from foundation.times import DAY_FORMAT as DATE_FORMAT  # noqa: F401 - Django reads it
from foundation.times import TIME_FORMAT as DATETIME_FORMAT  # noqa: F401 - Django reads it

TIME_FORMAT = "H:i"
