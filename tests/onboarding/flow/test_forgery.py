"""Which requests for a page of the flow are taken, and which are forged."""

import pytest
from django.test import Client
from django.utils import timezone

from onboarding.services.access import sessions
from tests.factories import make_application

PAGES = ["you", "documents", "language"]


@pytest.mark.parametrize("page", PAGES)
def test_under_a_link_a_post_needs_the_token_of_a_form(make_flow, page):
    flow = make_flow()
    flow.come_in()
    flow.client.handler.enforce_csrf_checks = True

    assert flow.post(page).status_code == 403


@pytest.mark.parametrize("page", PAGES)
def test_in_a_frame_the_key_in_the_header_is_proof_enough(page, db):
    application = make_application(at=timezone.now())
    opened = sessions.open_session(application, language="en", at=timezone.now(), is_embedded=True)
    path = f"/connect/v1/frame/{application.lead.external_id}/{page}"

    response = Client(enforce_csrf_checks=True).post(
        path, headers={"Authorization": f"Bearer {opened.key}"}
    )

    assert response.status_code in {200, 303}
