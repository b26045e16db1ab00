"""The dozen bodies by which the bench compares its peers with us."""

import pytest

from bench.lead_bodies import dozen


@pytest.mark.parametrize("title", dozen())
def test_the_body_is_answered_as_the_bench_expects_of_everybody(api, title):
    sent, is_good = dozen()[title]

    response = api.put("lead", sent)

    assert response.status_code == (201 if is_good else 400), response.content
