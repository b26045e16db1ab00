"""Links that stop reminders: to one application, and not to be guessed."""

import pytest
from django.core.signing import Signer

from onboarding.models import Application
from onboarding.services.access import reminder_links


def test_a_link_names_its_application(make_application):
    first, second = make_application(), make_application()
    tokens = [reminder_links.location(one).rpartition("/")[2] for one in (first, second)]

    assert [reminder_links.get_application(token) for token in tokens] == [first, second]


def test_a_value_signed_for_another_purpose_is_no_link(make_application):
    forged = Signer(sep=".").sign(make_application().external_id.hex)

    with pytest.raises(Application.DoesNotExist):
        reminder_links.get_application(forged)
