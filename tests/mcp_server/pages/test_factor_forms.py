"""Forms for factors: how long a challenge for a passkey counts."""

from datetime import timedelta
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from django.utils import timezone

from mcp_server.pages import factor_forms

KEY = "passkey_challenge"


@pytest.mark.parametrize(("minutes", "is_good"), [(14, True), (16, False)])
def test_a_challenge_counts_once_and_for_a_quarter_of_an_hour(minutes, is_good):
    made_at = timezone.now()
    kept = {"challenge": {"challenge": "abc"}, "made_at": made_at.timestamp()}
    request = SimpleNamespace(session={KEY: kept})

    with patch("django.utils.timezone.now", lambda: made_at + timedelta(minutes=minutes)):
        taken = factor_forms.take_challenge(request, KEY)

    assert taken == ({"challenge": "abc"} if is_good else {})
    assert factor_forms.take_challenge(request, KEY) == {}
