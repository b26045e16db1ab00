"""validateOnly: nobody is registered by a guess."""

import pytest

from onboarding.models import Lead
from tests.onboarding.conftest import codes


@pytest.mark.parametrize("query", ["validateOnly=1", "validateOnly=yes", "validateOnly"])
def test_what_is_neither_true_nor_false_registers_nobody(api, query):
    response = api.put(f"lead?{query}", {"email": "ada@example.com"})

    assert response.status_code == 400
    assert codes(response) == {"/validateOnly": "INVALID_TYPE"}
    assert not Lead.objects.exists()


@pytest.mark.parametrize(("query", "status"), [("TRUE", 200), ("true", 200), ("false", 201)])
def test_true_previews_and_false_creates(api, query, status):
    response = api.put(f"lead?validateOnly={query}", {"email": "ada@example.com"})

    assert response.status_code == status


def test_an_invalid_idempotency_key_is_refused_by_a_preview_too(api):
    body = {"email": "ada@example.com"}

    response = api.put("lead?validateOnly=true", body, Idempotency_Key="k" * 201)

    assert response.status_code == 400
    assert codes(response) == {None: "IDEMPOTENCY_KEY_INVALID"}
