"""A statement is waited for a little longer than the server may take."""

import pytest

from foundation.database.deadlines import MARGIN_SECONDS, answer_seconds


@pytest.mark.parametrize(("limit", "waited"), [(5, 5 + MARGIN_SECONDS), (0, None)])
def test_a_statement_without_a_limit_is_waited_for_without_a_limit(limit, waited):
    assert answer_seconds(limit) == waited
