"""Links: derived and repeatable; tokens: random and never stored."""

from datetime import timedelta

import pytest

from foundation.privacy.secret_digests import digest
from onboarding.models import Application
from onboarding.services.access import links
from tests.factories import NOON, later


def test_the_same_link_is_granted_again_with_a_fresh_token(make_application):
    application = make_application()

    first = links.regrant(application, at=NOON)
    second = links.regrant(application, at=later(days=1))

    assert second.location == first.location
    assert second.token != first.token
    assert second.location_expires_at == NOON + timedelta(days=31)
    assert second.token_expires_at == NOON + timedelta(days=1, hours=1)


def test_only_digests_are_stored(make_application):
    application = make_application()

    access = links.regrant(application, at=NOON)

    row = str(Application.objects.values().get())
    assert access.token not in row
    assert access.location.rpartition("/")[2] not in row
    assert digest(access.token) in row


def test_a_replaced_link_is_another_one(make_application):
    application = make_application()
    old = links.derive_link(application)

    access = links.replace_link(application, at=NOON)

    assert not access.location.endswith(old)
    application.refresh_from_db()
    assert application.link_digest != digest(old)


@pytest.mark.parametrize("key", ["another key", "test-link-key "])
def test_links_depend_on_the_key(make_application, settings, key):
    application = make_application()
    before = links.derive_link(application)

    settings.LINK_KEY = key

    assert links.derive_link(application) != before


def test_a_link_has_256_bits(make_application):
    assert len(links.derive_link(make_application())) == 43
