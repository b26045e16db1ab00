"""Exceptions of forged rows are faults; those of the connection are not."""

import pytest
from django.db import DataError, OperationalError

from foundation.database import unreadable_rows
from foundation.privacy.encryption import DecryptionError


@pytest.mark.parametrize(
    "exc", [DecryptionError("of Ada"), DataError("a date"), AttributeError("a name")]
)
def test_a_fault_names_the_exception_and_not_the_value(exc):
    fault = unreadable_rows.describe(exc)

    assert type(exc).__name__ in fault
    assert str(exc) not in fault


def test_a_lost_connection_is_no_fault_of_the_rows():
    with pytest.raises(OperationalError):
        unreadable_rows.describe(OperationalError("gone"))
