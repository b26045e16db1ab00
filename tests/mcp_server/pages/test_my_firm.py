"""The page of a firm: people, invitations of colleagues, and removals."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from banking.models import Accountant
from tests import factories
from tests.mcp_server.conftest import connect
from tests.mcp_server.pages.conftest import PASSWORD
from tests.mcp_server.pages.test_account import browse

PAGE = "/clients/firm"
NEXT_WEEK = timezone.now() + timedelta(days=7)


@pytest.fixture
def colleague(accountant):
    return factories.make_accountant(firm=accountant.firm)


@pytest.fixture
def client(accountant):
    return browse(accountant.user)


@pytest.fixture
def invitation(accountant):
    return factories.make_accountant_invitation(
        firm=accountant.firm,
        email="rosa@example.com",
        invited_by=accountant.user,
        expires_at=NEXT_WEEK,
    )


def step(invitation, name):
    return f"{PAGE}/invitations/{invitation.external_id}/{name}"


def remove(person):
    return f"{PAGE}/people/{person.pk}/remove"


def text(response):
    return response.content.decode()


def test_it_is_for_accountants(owner, make_user):
    assert Client().get(PAGE)["Location"] == f"/sign-in?next={PAGE}"
    assert browse(owner).get(PAGE).status_code == 404
    assert browse(make_user(user_type="ACCOUNTANT")).get(PAGE).status_code == 404


def test_people_and_who_invited_them_are_listed(client, accountant, colleague, invitation):
    invitation.accepted_at = factories.NOON
    invitation.save()
    Accountant.objects.filter(pk=colleague.pk).update(invitation=invitation, terms_accepted_at=None)

    page = text(client.get(PAGE))

    assert accountant.firm.name in page
    assert colleague.user.email in page
    assert f"invited by {accountant.user.get_full_name()}, joined" in page
    assert page.count("Terms pending") == 1
    assert "Invite a colleague" in page


def test_a_colleague_is_invited_signs_up_and_reads_after_the_terms(client, accountant):
    access = factories.make_access(accountant)
    terms = factories.make_terms()
    done = text(client.post(PAGE, {"email": "Rosa@example.com"}, follow=True))
    sent = accountant.firm.invitations.get()
    factories.AccountantInvitation.objects.update(
        token_digest=factories.make_accountant_invitation().token_digest
    )
    rosa, link = Client(), f"/clients/join/{sent.external_id}/token"
    form = rosa.get(link)["Location"]
    page = text(rosa.get(form))
    names = {"first_name": "Rosa", "last_name": "Diaz"}
    passwords = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    clients = text(rosa.post(form, names | passwords, follow=True))
    papers = f"/books?business={access.business.external_id}"
    before = rosa.get(papers).status_code
    accepted = rosa.post("/clients/terms", {"terms": [terms.external_id]}, follow=True)

    assert "We have sent an invitation to rosa@example.com." in done
    assert f"You join {accountant.firm.name}".replace("&", "&amp;") in page
    assert "Name of your firm" not in page
    assert access.business.legal_name in clients
    assert "Accept the terms of service to see the data" in clients
    assert terms.url in text(rosa.get("/clients/terms"))
    assert before == 404
    assert papers in text(accepted)
    assert rosa.get(papers).status_code == 200


def test_colleagues_who_are_no_managers_only_look(colleague, accountant, invitation):
    client = browse(colleague.user)

    page = text(client.get(PAGE))

    assert "rosa@example.com" in page
    assert "Invite a colleague" not in page
    assert remove(accountant) not in page
    refused = [
        client.post(PAGE, {"email": "eve@example.com"}),
        client.post(remove(accountant)),
        client.post(f"{PAGE}/people/{colleague.pk}/manager"),
        client.post(step(invitation, "withdraw")),
    ]
    assert {answer.status_code for answer in refused} == {403}


@pytest.mark.parametrize(
    ("email", "fault"),
    [
        ("no", "valid email address"),
        ("own", "This is your own email address."),
        ("colleague", "This person works for your firm already."),
        ("rosa@example.com", "You have invited this address already."),
    ],
)
def test_what_is_wrong_with_an_address_is_told(
    client, accountant, colleague, invitation, email, fault
):
    known = {"own": accountant.user.email, "colleague": colleague.user.email}

    answer = client.post(PAGE, {"email": known.get(email, email)})

    assert fault in text(answer) or "works for your firm already" in text(answer)
    assert accountant.firm.invitations.count() == 1


def test_inviting_needs_a_second_factor(client, accountant, settings):
    settings.CUSTOMER_SECOND_FACTOR = True

    assert client.post(PAGE, {"email": "rosa@example.com"})["Location"].startswith("/second-factor")
    assert not accountant.firm.invitations.exists()


def test_an_invitation_is_sent_again_and_withdrawn(client, invitation):
    assert "We have sent" in text(client.post(step(invitation, "send"), follow=True))
    assert "You have withdrawn" in text(client.post(step(invitation, "withdraw"), follow=True))
    assert "withdrawn already" in text(client.post(step(invitation, "send"), follow=True))
    assert client.post(step(invitation, "burn")).status_code == 404


def test_nothing_of_another_firm_is_found(invitation, colleague):
    stranger = browse(factories.make_accountant().user)

    paths = [step(invitation, "send"), step(invitation, "withdraw")]
    assert {stranger.post(path).status_code for path in paths} == {404}
    refused = text(stranger.post(remove(colleague), follow=True))
    assert "This person does not work for your firm." in refused
    colleague.refresh_from_db()
    assert colleague.firm == invitation.firm
    assert stranger.get(remove(colleague)).status_code == 404
    assert stranger.post(f"{PAGE}/people/{colleague.pk}/manager").status_code == 404


def test_a_removed_colleague_is_signed_out_and_reads_nothing(client, accountant, colleague):
    access = factories.make_access(accountant)
    books = f"/books?business={access.business.external_id}"
    theirs, assistant = browse(colleague.user), connect(colleague.user)
    tool = {"businessUserId": str(access.business.external_id)}
    assert theirs.get(books).status_code == 200
    assert "error" not in assistant.call("svc_list_cards", **tool)

    question = text(client.get(remove(colleague)))
    done = text(client.post(remove(colleague), follow=True))

    assert "Remove" in question
    assert "no longer works for your firm." in done
    assert theirs.get(books)["Location"].startswith("/sign-in")
    assert assistant.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 401
    again = Accountant.objects.get(pk=colleague.pk).user
    assert browse(again).get(books).status_code == 404
    assert connect(again).refusal("svc_list_cards", **tool)[0] == "ACCESS_DENIED"


def test_the_last_manager_cannot_leave_before_another_is_one(client, accountant, colleague):
    refused = text(client.post(remove(accountant), follow=True))
    made = text(client.post(f"{PAGE}/people/{colleague.pk}/manager", follow=True))
    left = client.post(remove(accountant))

    assert "Make a colleague a manager before you leave." in refused
    assert "is a manager now." in made
    assert left["Location"] == PAGE
    assert client.get(PAGE)["Location"].startswith("/sign-in")


def test_an_invited_accountant_who_is_alone_joins(accountant):
    alone, busy = factories.make_accountant(), factories.make_accountant()
    factories.make_access(busy)
    answers = []
    for person in (alone, busy):
        sent = factories.make_accountant_invitation(
            firm=accountant.firm, email=person.user.email, expires_at=NEXT_WEEK
        )
        client = browse(person.user)
        assert "invites you" in text(client.get(PAGE))
        answers.append(text(client.post(f"{PAGE}/join/{sent.external_id}", follow=True)))
        answers.append(text(client.post(f"{PAGE}/join/{sent.external_id}", follow=True)))

    assert "You now work for" in answers[0]
    assert "This invitation is no longer open." in answers[1]
    assert "You cannot join" in answers[2]


def test_it_is_spanish_for_who_reads_spanish(accountant, colleague):
    client = browse(accountant.user, "es")

    assert "Invitar a un colega" in text(client.get(PAGE))
    assert "¿Quitar a" in text(client.get(remove(colleague)))
