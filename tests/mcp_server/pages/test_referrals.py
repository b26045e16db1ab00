"""The referrals of an accountant: list, link, mail, withdrawal."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from banking.choices import ReferralStatus
from banking.models import Referral
from mcp_server.pages import referrals as page
from mcp_server.services import referral_mails
from tests import factories
from tests.mailing import send_queued
from tests.mcp_server.pages.test_account import browse

PAGE = "/clients/referrals"
NEW = {
    "business_name": "Tea & Co",
    "owner_first_name": "Ada",
    "owner_last_name": "Byron",
    "email": "Ada@Example.com",
}
NOW = timezone.now()
STATUSES = {
    ReferralStatus.REGISTERED: "Application started",
    ReferralStatus.COMPLETED: "Account open",
    ReferralStatus.EXPIRED: "Invitation ended",
}


@pytest.fixture
def refer(accountant):
    """Return a function that makes a referral by the accountant, with an open invitation."""

    def make(**values):
        dates = {"invited_at": NOW, "expires_at": NOW + timedelta(days=30)}
        return factories.make_referral(accountant, **{**dates, **values})

    return make


def see(user, path="", language="en"):
    return browse(user, language).get(f"{PAGE}{path}").content.decode()


def sent_mails():
    """Return the mails as soon as the thread has sent them."""
    send_queued()
    return mail.outbox


def test_it_needs_a_sign_in(db):
    path = f"{PAGE}/{uuid4()}"
    for response in (
        Client().get(PAGE), Client().post(PAGE, NEW), Client().get(path),
        Client().post(f"{path}/mail"), Client().post(f"{path}/withdraw"),
    ):  # fmt: skip
        assert response["Location"].startswith("/sign-in?next=/clients/referrals")


def test_the_clients_page_links_to_it(accountant):
    assert f'href="{PAGE}"' in browse(accountant.user).get("/clients").content.decode()


def test_owners_have_none(owner, refer):
    for response in (
        browse(owner).get(PAGE), browse(owner).post(PAGE, NEW),
        browse(owner).get(f"{PAGE}/{refer().external_id}"),
    ):  # fmt: skip
        assert response.status_code == 404


def test_a_referral_is_made_and_its_link_is_shown(accountant, settings):
    text = browse(accountant.user).post(PAGE, NEW, follow=True).content.decode()

    referral = Referral.objects.get()
    assert (referral.accountant, referral.email) == (accountant, "ada@example.com")
    assert "The invitation is ready." in text
    assert f"{settings.BASE_URL}/join/{referral.invite_code}" in text
    assert "Tea &amp; Co" in see(accountant.user)
    assert sent_mails() == []


def test_a_customer_is_invited_like_everybody(accountant, owner):
    lead = factories.make_lead(email="lead@example.com")

    answers = [
        browse(accountant.user).post(PAGE, {**NEW, "email": email}, follow=True).content.decode()
        for email in (owner.email, lead.email, "nobody@example.com")
    ]

    assert ["The invitation is ready." in answer for answer in answers] == [True] * 3


def test_an_address_is_invited_once(accountant, refer):
    refer(email="ada@example.com")

    response = browse(accountant.user).post(PAGE, NEW)

    assert "You have already invited this address." in response.content.decode()
    assert Referral.objects.count() == 1


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"email": "nobody"}, "email"),
        ({"business_name": " "}, "business_name"),
        ({"owner_first_name": "x" * 101}, "owner_first_name"),
        ({"owner_last_name": "\0"}, "owner_last_name"),
    ],
)
def test_a_wrong_answer_is_named(accountant, values, field):
    response = browse(accountant.user).post(PAGE, {**NEW, **values})

    assert list(response.context["form"].errors) == [field]
    assert not Referral.objects.exists()


@pytest.mark.parametrize("status", STATUSES)
def test_only_an_open_invitation_shows_its_link(accountant, refer, status):
    done = NOW if status == ReferralStatus.COMPLETED else None
    referral = refer(status=status, completed_at=done)

    text = see(accountant.user, f"/{referral.external_id}")

    assert STATUSES[status] in text
    assert STATUSES[status] in see(accountant.user)
    assert referral.invite_code not in text
    assert "Withdraw" not in text


def test_an_invitation_that_lapsed_has_ended(accountant, refer):
    referral = refer(expires_at=NOW - timedelta(seconds=1))

    text = see(accountant.user, f"/{referral.external_id}")

    assert "Invitation ended" in text
    assert referral.invite_code not in text


def test_the_invitation_is_mailed(accountant, refer):
    referral = refer(email="ada@example.com")

    answer = browse(accountant.user).post(f"{PAGE}/{referral.external_id}/mail", follow=True)

    assert "We are sending the invitation to ada@example.com." in answer.content.decode()
    assert [sent.to for sent in sent_mails()] == [["ada@example.com"]]


@pytest.mark.parametrize("status", [ReferralStatus.REGISTERED, ReferralStatus.EXPIRED])
def test_an_invitation_that_is_over_is_not_mailed(accountant, refer, status):
    referral = refer(status=status)

    answer = browse(accountant.user).post(f"{PAGE}/{referral.external_id}/mail", follow=True)

    assert "This invitation is no longer open." in answer.content.decode()
    assert sent_mails() == []


@pytest.mark.usefixtures("limits_on")
def test_after_too_many_mails_the_page_says_when_to_come_again(accountant, refer):
    client, path = browse(accountant.user), f"{PAGE}/{refer().external_id}/mail"

    answers = [client.post(path) for _ in range(referral_mails.TO_ONE_ADDRESS + 1)]

    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
    assert "You have sent many invitations." in answers[-1].content.decode()
    assert answers[-1]["Retry-After"]


def test_an_invitation_is_withdrawn_after_a_question(accountant, refer):
    referral = refer(business_name="Tea & Co")
    client, path = browse(accountant.user), f"{PAGE}/{referral.external_id}/withdraw"

    question = client.get(path).content.decode()
    done = client.post(path, follow=True).content.decode()
    again = client.post(path, follow=True).content.decode()

    referral.refresh_from_db()
    assert "Withdraw the invitation of Tea &amp; Co?" in question
    assert "The invitation of Tea &amp; Co is withdrawn." in done
    assert "This invitation is no longer open." in again
    assert referral.status == ReferralStatus.EXPIRED
    assert Client().get(f"/join/{referral.invite_code}").status_code == 410


def test_who_registered_is_not_withdrawn(accountant, refer):
    referral = refer(status=ReferralStatus.REGISTERED)

    browse(accountant.user).post(f"{PAGE}/{referral.external_id}/withdraw")

    referral.refresh_from_db()
    assert referral.status == ReferralStatus.REGISTERED


def test_referrals_of_others_are_not_found(accountant, refer):
    mine, client = refer(business_name="Adams Bakery"), browse(factories.make_accountant().user)

    assert "Adams Bakery" not in client.get(PAGE).content.decode()
    for path in (f"/{mine.external_id}", f"/{mine.external_id}/withdraw"):
        assert client.get(f"{PAGE}{path}").status_code == 404
    for path in ("mail", "withdraw"):
        assert client.post(f"{PAGE}/{mine.external_id}/{path}").status_code == 404
    mine.refresh_from_db()
    assert mine.status == ReferralStatus.INVITED
    assert sent_mails() == []


def test_the_list_is_paged(accountant, refer, monkeypatch):
    monkeypatch.setattr(page, "PAGE_SIZE", 1)
    refer(business_name="Older", invited_at=NOW - timedelta(days=1))
    refer(business_name="Newer")

    first, second = see(accountant.user), see(accountant.user, "?page=1")

    assert ("Newer" in first, "Older" in first) == (True, False)
    assert ("Newer" in second, "Older" in second) == (False, True)
    for query in ("?page=-1", "?page=x", "?page=99"):
        assert browse(accountant.user).get(f"{PAGE}{query}").status_code == 200


def test_it_is_spanish_for_who_reads_spanish(accountant, refer):
    referral = refer()

    assert "Empresas invitadas" in see(accountant.user, language="es")
    assert "Retirar la invitación" in see(accountant.user, f"/{referral.external_id}", "es")


@pytest.mark.parametrize("count", [2, 9])
def test_the_statements_do_not_grow_with_the_referrals(
    accountant, refer, count, django_assert_num_queries
):
    for _ in range(count):
        refer()
    client = browse(accountant.user)

    with django_assert_num_queries(9):
        client.get(PAGE)
