"""The accountants of a business: who is listed, and how their access ends."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import quote_plus

import pytest
from django.test import Client
from django.utils import timezone

from banking.choices import AccessStatus
from banking.models import BusinessOwner
from banking.services import accountant_invitations, clients
from tests import factories
from tests.factories import NOON
from tests.mcp_server.pages.test_account import browse

PAGE = "/account/accountants"
NEXT_WEEK = timezone.now() + timedelta(days=7)


@pytest.fixture
def access(accountant, business):
    return factories.make_access(accountant, business)


@pytest.fixture
def end(access):
    """The address that ends the access."""
    return f"{PAGE}/{access.pk}/end"


def test_it_needs_a_sign_in(end):
    assert Client().get(PAGE)["Location"] == f"/sign-in?next={PAGE}"
    assert Client().post(end)["Location"].startswith("/sign-in")


def test_an_accountant_is_listed_with_level_and_last_look(owner, accountant, access, business):
    browse(accountant.user).get("/clients")
    text = browse(owner).get(PAGE).content.decode()

    assert accountant.user.get_full_name() in text
    assert accountant.firm_name in text
    assert "Everyone at the firm sees everything, no one has looked yet" in text


def test_an_access_ends_after_a_question(owner, access, end):
    client = browse(owner)

    question = client.get(end).content.decode()
    access.refresh_from_db()
    assert access.status == AccessStatus.CONNECTED
    done = client.post(end, follow=True).content.decode()

    assert "End the access of" in question
    assert "no longer has access." in done
    assert "1 accountant who no longer has access" in done
    access.refresh_from_db()
    assert access.status == AccessStatus.REVOKED


def test_an_assistant_of_the_accountant_reads_nothing_more(owner, business, accountants_assistant):
    access = business.accesses.get()
    client_id = str(business.external_id)
    assert "error" not in accountants_assistant.call("svc_list_cards", businessUserId=client_id)

    browse(owner).post(f"{PAGE}/{access.pk}/end")

    answer = accountants_assistant.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert answer.status_code == 401


def test_an_access_that_ended_just_now_is_told(owner, access, end):
    client = browse(owner)
    clients.revoke_access(access, at=factories.later(days=1))

    assert "This access has already ended." in client.post(end, follow=True).content.decode()


def test_accesses_of_others_are_not_found(make_user, accountant, access, end):
    other = make_user()
    factories.make_business_owner(factories.make_business(), user=other)

    for user in (other, accountant.user, make_user()):
        assert browse(user).get(end).status_code == 404
        assert browse(user).post(end).status_code == 404

    access.refresh_from_db()
    assert access.status == AccessStatus.CONNECTED


def test_it_is_spanish_for_who_reads_spanish(owner, access, end):
    assert "¿Terminar el acceso de" in browse(owner, "es").get(end).content.decode()


@pytest.fixture
def invite(owner):
    client = browse(owner)

    def send(email="rosa@example.com", level="FULL", last_day="", client=client):
        sent = {"email": email, "level": level, "last_day": last_day}
        return client.post(PAGE, sent, follow=True)

    return send


@pytest.fixture
def waiting(business):
    return factories.make_accountant_invitation(business, expires_at=NEXT_WEEK)


def path_of(invitation, step):
    return f"{PAGE}/invitations/{invitation.external_id}/{step}"


def test_an_owner_invites_with_level_and_last_day(invite, business, owner):
    day = timezone.now().date() + timedelta(days=40)

    text = invite("Rosa@example.com", "STATEMENTS_ONLY", f"{day}").content.decode()

    invitation = business.accountant_invitations.get()
    assert "We have sent an invitation to rosa@example.com." in text
    assert (invitation.email, invitation.level) == ("rosa@example.com", "STATEMENTS_ONLY")
    assert (invitation.last_day, invitation.invited_by) == (day, owner)
    assert "Sees statements only until" in text


def test_the_page_does_not_tell_who_has_the_address(invite, owner, business):
    answers = set()
    for number, kind in enumerate(["nobody", "ACCOUNTANT", "inactive", "BUSINESS", "STAFF"]):
        address = f"rosa{number}@example.com"
        if kind in ("ACCOUNTANT", "inactive"):
            values = {"user_type": "ACCOUNTANT", "is_active": kind == "ACCOUNTANT"}
            user = factories.make_user(email=address, first_name="Rosa", **values)
            factories.make_accountant(user)
        elif kind != "nobody":
            factories.make_user(email=address, user_type=kind)
        text = invite(address).content.decode() + browse(owner).get("/account").content.decode()
        answers.add(re.sub(r'value="\w{64}"|[0-9a-f-]{36}', "", text.replace(address, "")))
        accountant_invitations.withdraw(business.accountant_invitations.latest("pk"), at=NOON)

    (answer,) = answers
    assert "We have sent an invitation to ." in answer
    assert answer.count("No accountant has access.") == 2


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"email": "no address"}, "Enter a valid email address."),
        ({"level": "ROOT"}, "Select a valid choice."),
        ({"level": "READ_ONLY"}, "Select a valid choice."),
        ({"last_day": "2020-01-01"}, "Choose today or a later day."),
        ({"last_day": "9999-12-31"}, "Choose today or a later day."),
        ({"last_day": "tomorrow"}, "Enter a valid date."),
    ],
)
def test_nonsense_is_not_sent(invite, business, sent, said):
    assert said in invite(**sent).content.decode()
    assert not business.accountant_invitations.exists()


def test_owners_do_not_invite_themselves_nor_twice(invite, owner, accountant, access):
    assert "This is your own email address." in invite(owner.email).content.decode()
    assert "already has access" in invite(accountant.user.email).content.decode()
    invite()
    assert "You have invited this address already." in invite().content.decode()


def test_too_many_invitations_are_refused(invite, settings, business):
    settings.RATE_LIMIT_FACTOR = 1
    for number in range(10):
        invite(f"rosa{number}@example.com")

    assert "Too many invitations were sent." in invite().content.decode()
    assert business.accountant_invitations.count() == 10


def test_the_page_and_its_forms_need_full_access(invite, owner, business, waiting):
    BusinessOwner.objects.filter(user=owner).update(role="UBO", sign_in_role="PARTNER")

    page = browse(owner).get(PAGE)
    assert (page.status_code, "you need full access" in page.content.decode()) == (403, True)
    assert invite().status_code == 403
    assert browse(owner).post(path_of(waiting, "send")).status_code == 403
    assert browse(owner).post(path_of(waiting, "withdraw")).status_code == 403


def test_an_invitation_needs_the_second_factor(invite, owner, business, waiting, settings):
    settings.CUSTOMER_SECOND_FACTOR = True

    page = browse(owner).get(PAGE).content.decode()
    refused = browse(owner).post(PAGE, {"email": "rosa@example.com", "level": "FULL"})

    assert "first set up two-step verification" in page
    assert 'name="email"' not in page
    assert refused["Location"] == f"/second-factor?next={quote_plus(PAGE)}"
    assert browse(owner).post(path_of(waiting, "send")).status_code == 403
    assert business.accountant_invitations.get() == waiting


def test_an_invitation_is_sent_again_and_withdrawn(owner, waiting):
    client, former = browse(owner), waiting.token_digest

    again = client.post(path_of(waiting, "send"), follow=True).content.decode()
    waiting.refresh_from_db()
    withdrawn = client.post(path_of(waiting, "withdraw"), follow=True).content.decode()
    late = client.post(path_of(waiting, "withdraw"), follow=True).content.decode()

    assert f"We have sent an invitation to {waiting.email}." in again
    assert waiting.token_digest != former
    assert f"You have withdrawn the invitation of {waiting.email}." in withdrawn
    assert "accepted or withdrawn already" in late
    assert (
        "can no longer be sent"
        in client.post(path_of(waiting, "send"), follow=True).content.decode()
    )


def test_an_expired_invitation_is_shown_as_such(owner, waiting):
    waiting.expires_at = timezone.now()
    waiting.save()

    assert ">Expired<" in browse(owner).get(PAGE).content.decode()


@pytest.mark.parametrize("step", ["send", "withdraw"])
def test_invitations_of_others_are_not_found(owner, accountant, step):
    waiting = factories.make_accountant_invitation()

    for user in (owner, accountant.user):
        assert browse(user).post(path_of(waiting, step)).status_code == 404

    waiting.refresh_from_db()
    assert waiting.is_open(NOON)
    assert waiting.sent_at == NOON


def test_an_access_past_its_last_day_is_shown_as_ended(owner, access):
    access.ends_at = timezone.now()
    access.save()

    text = browse(owner).get(PAGE).content.decode()

    assert "1 accountant who no longer has access" in text
    assert "No accountant has access." in browse(owner).get("/account").content.decode()


def test_the_last_day_is_shown(owner, access):
    access.ends_at = datetime(2099, 1, 1, tzinfo=UTC)
    access.save()

    assert (
        "Everyone at the firm sees everything until December 31, 2098"
        in browse(owner).get(PAGE).content.decode()
    )
