"""Which links open an owner's part, and which sessions may go on."""

import pytest

from onboarding.models import Application, OwnerInvitation
from onboarding.queries.applications import LinkReplaced, get_application_by_link
from onboarding.queries.owner_invitations import (
    find_invitation,
    find_owners_partner,
    open_owner_link,
    opens,
)
from onboarding.services.access import link_requests, links
from tests.factories import NOON


@pytest.fixture
def invitation(make_application, make_owner, make_invitation):
    return make_invitation(make_owner(make_application().lead))


def test_a_link_opens_one_owners_part(invitation, make_owner, make_invitation):
    lead = invitation.owner.lead
    other = make_invitation(make_owner(lead))
    link, another = map(links.derive_owner_link, (invitation, other))

    assert open_owner_link(link, at=NOON)[0] == invitation
    assert (opens(invitation, link), opens(invitation, another)) == (True, False)


def test_the_partner_of_an_owners_link_is_found(invitation):
    link = links.derive_owner_link(invitation)

    assert find_owners_partner(link) == invitation.owner.lead.partner
    assert find_owners_partner("nothing") is None


def test_the_links_of_applicants_and_owners_open_nothing_of_each_other(invitation):
    application = Application.objects.get()

    with pytest.raises(OwnerInvitation.DoesNotExist):
        open_owner_link(links.derive_link(application), at=NOON)
    with pytest.raises(Application.DoesNotExist):
        get_application_by_link(links.derive_owner_link(invitation), at=NOON)


def test_a_replaced_link_of_an_owner_is_no_link_of_the_applicant(invitation):
    application = Application.objects.get()
    old = links.derive_owner_link(invitation)
    links.replace_owner_link(invitation, application, at=NOON)
    invitation.save()

    assert find_invitation(old) == invitation
    with pytest.raises(Application.DoesNotExist):
        get_application_by_link(old, at=NOON)
    assert link_requests.request_link(old, language="en", at=NOON) is None
    assert not application.mails.exists()


def test_a_replaced_link_of_an_applicant_is_no_link_of_an_owner(invitation):
    application = Application.objects.get()
    old = links.derive_link(application)
    links.replace_link(application, at=NOON)

    with pytest.raises(LinkReplaced):
        get_application_by_link(old, at=NOON)
    with pytest.raises(OwnerInvitation.DoesNotExist):
        find_invitation(old)
