"""Every call of a test in this folder is held against the OpenAPI document."""

import pytest

from tests.onboarding.api.described import faults_of_answer
from tests.onboarding.conftest import PartnerApi


@pytest.fixture(autouse=True)
def answers_are_as_described(monkeypatch):
    call = PartnerApi.call

    def described_call(api, method, path, *args, **kwargs):
        response = call(api, method, path, *args, **kwargs)
        assert faults_of_answer(response) == [], (method, path, response.content)
        return response

    monkeypatch.setattr(PartnerApi, "call", described_call)
