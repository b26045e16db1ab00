"""The page of an invitation link: what it shows, and the application that begins there."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from banking.choices import ReferralStatus
from onboarding.choices import ApplicationStatus as Status
from onboarding.flow import invitations
from onboarding.models import Application, Lead, Mail
from onboarding.services.mails import mail_texts
from onboarding.services.partners.bank_partner import get_bank_partner
from tests.factories import make_application, make_lead, make_referral
from tests.onboarding.flow.conftest import CODE, Flow

NOW = timezone.now()
SOON = NOW + timedelta(days=7)
PAST = NOW - timedelta(days=7)
FORM_TOKEN = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")\w+')
ADA = {"first_name": "Ada", "last_name": "Byron", "email": " Ada@Example.com "}


@pytest.fixture
def referral(db):
    return make_referral(business_name="Tea & Co", expires_at=SOON, invited_at=PAST)


def join(referral, client=None, **values):
    client = client or Client()
    answer = client.post(f"/join/{referral.invite_code}", {**ADA, **values})
    return client.get(answer["Location"]) if answer.status_code == 303 else answer


def test_an_invited_business_learns_who_invited_it(referral, client):
    response = client.get(f"/join/{referral.invite_code}")

    text = response.content.decode()
    assert response.status_code == 200
    assert "Tea &amp; Co is invited" in text
    assert referral.accountant.firm_name in text
    for private in (referral.email, referral.owner_first_name, referral.owner_last_name):
        assert private not in text
    assert "no-store" in response["Cache-Control"]
    assert not Lead.objects.exists()


def test_a_code_that_nobody_was_given_leads_nowhere(db, client):
    assert client.get("/join/nonsense").status_code == 404
    assert client.post("/join/nonsense", ADA).status_code == 404


@pytest.mark.parametrize(
    "values",
    [
        {"expires_at": NOW - timedelta(days=1)},
        {"status": ReferralStatus.REGISTERED, "expires_at": NOW - timedelta(days=1)},
        {"status": ReferralStatus.COMPLETED, "completed_at": PAST, "expires_at": SOON},
        {"status": ReferralStatus.EXPIRED, "expires_at": SOON},
    ],
)
def test_an_invitation_that_is_over_says_so(db, client, values):
    referral = make_referral(invited_at=PAST, **values)

    response = client.get(f"/join/{referral.invite_code}")

    assert response.status_code == 410
    assert "expired" in response.content.decode()
    assert join(referral).status_code == 410
    assert not Lead.objects.exists()


def test_the_invited_person_walks_from_the_invitation_into_the_application(referral):
    sent = join(referral)

    application = Application.objects.select_related("lead__partner").get()
    flow = Flow(application)
    start = flow.get().content.decode()
    flow.post()
    you = flow.client.get(flow.post("code", {"code": CODE})["Location"]).content.decode()
    referral.refresh_from_db()
    assert "Check your email" in sent.content.decode()
    assert "Open a business account for Tea &amp; Co" in start
    assert "email address that" not in start
    assert 'value="Byron"' in you
    assert 'value="ada@example.com"' in you
    assert referral.status == ReferralStatus.REGISTERED


def test_the_mail_names_the_bank_and_has_the_link(referral, settings):
    join(referral)

    message = mail_texts.compose(Mail.objects.get(), at=timezone.now())

    assert message.to == ["ada@example.com"]
    assert "This is the link to your application for a bank account for Tea & Co" in message.body
    assert f"{settings.BASE_URL}/apply/" in message.body


def test_every_email_gets_the_same_answer(referral):
    """Somebody tries a new address, addresses of others, and the link a second time."""
    bank = get_bank_partner()
    for status in Status:
        make_application(make_lead(bank, email=f"{status.lower()}@example.com"), status=status)
    make_lead(email="other.partner@example.com")
    emails = [f"{status.lower()}@example.com" for status in Status]
    emails += ["other.partner@example.com", "new@example.com", "new@example.com", referral.email]

    answers = [join(referral, email=email) for email in emails]

    assert {answer.status_code for answer in answers} == {200}
    assert len({FORM_TOKEN.sub("", answer.content.decode()) for answer in answers}) == 1
    mailed = Mail.objects.values_list("application__lead__email", flat=True)
    assert set(mailed) == set(emails) - {"denied@example.com"}


def test_nobody_comes_in_by_the_link_of_another_persons_email(referral):
    client = Client()
    join(referral, client, email="victim@example.com")

    application = Application.objects.get()

    assert client.get("/apply/x").status_code == 404
    assert not application.flow_sessions.exists()
    assert (application.status, application.lead.email) == (Status.CREATED, "victim@example.com")


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"email": "nobody"}, "email"),
        ({"email": "ada@exämple.com"}, "email"),
        ({"email": "a" * 250 + "@example.com"}, "email"),
        ({"first_name": ""}, "first_name"),
        ({"last_name": "x" * 101}, "last_name"),
        ({"first_name": "\u202e"}, "first_name"),
    ],
)
def test_a_wrong_answer_is_named_and_nothing_begins(referral, values, field):
    response = join(referral, **values)

    assert list(response.context["form"].errors) == [field]
    assert not Lead.objects.exists()


def test_a_post_needs_the_token_of_a_form(referral):
    assert join(referral, Client(enforce_csrf_checks=True)).status_code == 403
    assert not Lead.objects.exists()


@pytest.mark.usefixtures("limits_on")
def test_one_address_gets_five_mails_an_hour(db):
    links = [make_referral(expires_at=SOON) for _ in range(6)]

    answers = [join(referral) for referral in links]

    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert int(answers[-1]["Retry-After"]) > 3000
    assert Mail.objects.count() == 5


@pytest.mark.usefixtures("limits_on")
@pytest.mark.parametrize(
    ("links", "allowed"),
    [(1, invitations.WITH_ONE_LINK), (30, invitations.FROM_ONE_NETWORK)],
)
def test_one_link_and_one_network_are_limited(db, links, allowed):
    known = [make_referral(expires_at=SOON) for _ in range(links)]

    answers = [
        join(known[number % links], email=f"{number}@example.com").status_code
        for number in range(allowed + 1)
    ]

    assert answers == [200] * allowed + [429]


def test_it_is_spanish_for_who_reads_spanish(referral):
    client = Client(headers={"accept-language": "es"})

    page = client.get(f"/join/{referral.invite_code}").content.decode()
    sent = join(referral, client).content.decode()

    assert "Comience su solicitud" in page
    assert "Revise su correo" in sent
    assert Mail.objects.get().language == "es"
