"""The list of an accountant's clients: search, accesses that wait, and the log."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from banking.choices import AccessLevel, AccessStatus
from mcp_server.models import AccessLogEntry
from mcp_server.pages import clients
from tests import factories
from tests.mcp_server.pages.test_account import browse
from tests.mcp_server.pages.test_referrals import sent_mails

PAGE = "/clients"
WAITING = {"status": AccessStatus.PENDING_TERMS, "granted_at": None}
ENDED = {"status": AccessStatus.REVOKED, "revoked_at": factories.NOON}


@pytest.fixture
def add(accountant):
    """Return a function that gives the accountant a client."""

    def make(name, **values):
        business = factories.make_business(legal_name=name)
        factories.make_access(accountant, business, **values)
        return business

    return make


def see(user, query="", language="en"):
    return browse(user, language).get(f"{PAGE}{query}").content.decode()


def test_it_needs_a_sign_in(db):
    assert Client().get(PAGE)["Location"] == f"/sign-in?next={PAGE}"


def test_accountants_land_there_and_owners_on_their_account(accountant, owner):
    assert browse(accountant.user).get("/account")["Location"] == PAGE
    assert browse(owner).get(PAGE)["Location"] == "/account"


def test_each_client_has_its_access_and_its_level(accountant, add):
    open_one = add("Adams Bakery")
    add("Baker Tools", level=AccessLevel.STATEMENTS_ONLY)

    text = see(accountant.user)

    assert f"/books?business={open_one.external_id}" in text
    assert text.count("/books?business=") == 1
    assert ">Statements only<" in text
    assert "2 clients" in text


def test_what_waits_is_told_first_and_can_be_listed_alone(accountant, add):
    add("Adams Bakery")
    add("Baker Tools", **WAITING)
    add("Carter Farm", **ENDED)

    whole = see(accountant.user)
    waiting = see(accountant.user, "?status=PENDING_TERMS")
    ended = see(accountant.user, "?status=REVOKED")

    assert "Your access to 1 client is waiting for you to accept the terms of service" in whole
    assert "Your access to 1 client has ended" in whole
    names = ("Adams Bakery", "Baker Tools", "Carter Farm")
    assert [name in waiting for name in names] == [False, True, False]
    assert [name in ended for name in names] == [False, False, True]


def test_a_search_finds_part_of_a_name(accountant, add):
    add("Adams Bakery")
    add("Baker Tools")

    text = see(accountant.user, "?search=adams")

    assert "Adams Bakery" in text
    assert "Baker Tools" not in text
    assert "No client fits." in see(accountant.user, "?search=zzz")


@pytest.mark.parametrize("query", ["?page=-1", "?page=x", "?status=NO", "?search=%00", "?page=99"])
def test_nonsense_is_as_good_as_nothing(accountant, add, query):
    add("Adams Bakery")

    assert browse(accountant.user).get(f"{PAGE}{query}").status_code == 200


def test_clients_of_others_are_not_listed(accountant, add):
    add("Adams Bakery")

    assert "Adams Bakery" not in see(factories.make_accountant().user)


def test_an_accountant_without_a_record_has_no_clients(make_user):
    assert "No client has given you access." in see(make_user(user_type="ACCOUNTANT"))


def test_every_client_that_is_shown_is_logged(accountant, add):
    shown, hidden = add("Adams Bakery"), add("Baker Tools")

    see(accountant.user, "?search=adams")

    entry = AccessLogEntry.objects.get()
    assert (entry.tool, entry.business) == ("open_clients", shown)
    assert hidden != shown


def test_the_list_is_paged_and_keeps_the_search(accountant, add, monkeypatch):
    monkeypatch.setattr(clients, "PAGE_SIZE", 1)
    add("Adams & Sons")
    add("Adams & Daughters")

    text = see(accountant.user, "?search=adams+%26")

    assert "?search=adams%20%26&amp;page=1" in text


def test_it_is_spanish_for_who_reads_spanish(accountant, add):
    add("Baker Tools", **WAITING)

    assert "Faltan condiciones" in see(accountant.user, language="es")


@pytest.mark.parametrize("count", [2, 9])
def test_the_statements_do_not_grow_with_the_clients(
    accountant, add, count, django_assert_num_queries
):
    for number in range(count):
        add(f"Business {number}")
    client = browse(accountant.user)
    client.get(PAGE)

    with django_assert_num_queries(12):
        client.get(PAGE)


@pytest.fixture
def waiting(accountant):
    """An access that waits for the accountant's acceptance."""
    expires_at = timezone.now() + timedelta(days=7)
    business = factories.make_business(legal_name="Baker Tools")
    invitation = factories.make_accountant_invitation(
        business, email=accountant.user.email, expires_at=expires_at
    )
    return factories.make_access(accountant, business, invitation=invitation, **WAITING)


def path_of(access):
    return f"{PAGE}/{access.business.external_id}/accept"


def test_an_invitation_is_accepted_with_the_terms(accountant, waiting, accountants_assistant):
    terms = factories.make_terms(title="Terms of service")
    client, path = browse(accountant.user), path_of(waiting)
    tool = {"businessUserId": str(waiting.business.external_id)}

    assert path in client.get(PAGE).content.decode()
    page = client.get(path).content.decode()
    before = accountants_assistant.call("svc_get_client_access_status", **tool)
    done = client.post(path, {"terms": [terms.external_id]}, follow=True).content.decode()
    after = accountants_assistant.call("svc_get_client_access_status", **tool)

    assert terms.url in page
    assert "You now have access to Baker Tools." in done
    assert [one["documentId"] for one in before["pendingTermsOfService"]] == [
        str(terms.external_id)
    ]
    assert (before["status"], after["status"]) == ("PENDING_TERMS", "CONNECTED")
    assert after["pendingTermsOfService"] == []
    entry = AccessLogEntry.objects.get(tool="accept_invitation")
    assert entry.business == waiting.business


def test_terms_published_meanwhile_are_shown_before_they_are_accepted(accountant, waiting):
    shown = factories.make_terms(title="Old")
    factories.make_terms(title="New")

    text = browse(accountant.user).post(path_of(waiting), {"terms": [shown.external_id]})

    assert "The terms have changed. Read them again." in text.content.decode()
    waiting.refresh_from_db()
    assert waiting.status == AccessStatus.PENDING_TERMS


@pytest.mark.parametrize("closed", ["expired", "withdrawn", "over", "sent by the core"])
def test_an_invitation_that_is_over_is_not_accepted(accountant, waiting, closed):
    now = timezone.now()
    if closed == "over":
        waiting.ends_at = now
    elif closed == "sent by the core":
        waiting.invitation = None
    else:
        name = {"expired": "expires_at", "withdrawn": "withdrawn_at"}[closed]
        setattr(waiting.invitation, name, now)
        waiting.invitation.save()
    waiting.save()
    client = browse(accountant.user)

    assert path_of(waiting) not in client.get(PAGE).content.decode()
    assert client.get(path_of(waiting)).status_code == 404
    assert client.post(path_of(waiting)).status_code == 404


def test_nobody_accepts_the_invitation_of_another(waiting, owner, make_user):
    for user in (factories.make_accountant().user, owner, make_user(user_type="ACCOUNTANT")):
        assert browse(user).post(path_of(waiting)).status_code == 404

    waiting.refresh_from_db()
    assert waiting.status == AccessStatus.PENDING_TERMS


def test_an_access_past_its_last_day_has_ended(accountant, add):
    add("Adams Bakery", ends_at=timezone.now())
    add("Baker Tools", ends_at=timezone.now() + timedelta(days=2))

    text = see(accountant.user)

    assert "Your access to 1 client has ended" in text
    assert text.count("until ") == 1
    assert "Adams Bakery" not in browse(accountant.user).get("/books").content.decode()


def test_clients_wait_for_the_terms_of_each_person(accountant, add):
    add("Adams Bakery")
    add("Carter Farm", **ENDED)
    colleague = factories.make_accountant(firm=accountant.firm, terms_accepted_at=None)

    text = see(colleague.user, "?status=PENDING_TERMS")

    assert "Accept the terms of service to see the data" in text
    assert "Terms pending" in text
    assert "Adams Bakery" in text
    assert "Carter Farm" not in text
    assert "No client fits." in see(colleague.user, "?status=CONNECTED")
    assert "Accept the terms of service to see the data" not in see(accountant.user)


def test_terms_that_changed_are_shown_again_before_a_person_accepts_them(accountant):
    factories.make_terms()
    colleague = factories.make_accountant(firm=accountant.firm, terms_accepted_at=None)

    text = browse(colleague.user).post(f"{PAGE}/terms", {"terms": []}).content.decode()

    assert "The terms have changed. Read them again." in text
    colleague.refresh_from_db()
    assert colleague.terms_accepted_at is None


def test_a_colleague_accepts_an_invitation_for_the_firm(accountant, waiting):
    colleague = factories.make_accountant(firm=accountant.firm, terms_accepted_at=None)

    browse(colleague.user).post(path_of(waiting))

    waiting.refresh_from_db()
    colleague.refresh_from_db()
    assert waiting.status == AccessStatus.CONNECTED
    assert colleague.terms_accepted_at is not None


def test_an_invitation_is_declined_and_its_owner_is_mailed(
    accountant, waiting, django_capture_on_commit_callbacks
):
    client, path = browse(accountant.user), path_of(waiting).replace("accept", "decline")

    assert path in client.get(path_of(waiting)).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        done = client.post(path, follow=True).content.decode()

    waiting.refresh_from_db()
    assert "You have declined the invitation of Baker Tools." in done
    assert (waiting.status, waiting.ended_here) == (AccessStatus.REVOKED, True)
    assert client.post(path_of(waiting), {"terms": []}).status_code == 404
    [sent] = sent_mails()
    assert sent.to == [waiting.invitation.invited_by.email]
    assert f"{accountant.firm.name} has declined your invitation" in sent.subject
    assert "/account/accountants" in sent.body


def test_nobody_declines_the_invitation_of_another_firm(waiting, make_accountant):
    path = path_of(waiting).replace("accept", "decline")

    assert browse(make_accountant().user).post(path).status_code == 404
