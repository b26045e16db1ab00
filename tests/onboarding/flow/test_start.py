"""The way in: what a link reveals, the code, the session, and what is refused."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import AccessCode, Application, FlowSession, Mail
from onboarding.services.access import access_codes, links
from tests.factories import make_application
from tests.mailing import deliver_mails
from tests.onboarding.flow.conftest import CODE

SPANISH = {"accept-language": "es"}


@pytest.fixture
def fresh(make_flow, make_lead, make_partner):
    """A browser that has only the link."""
    partner = make_partner(name="Acme Inc", display_name="Acme Books")
    lead = make_lead(
        partner,
        email="ada@example.com",
        first_name="Ada",
        business_name="Bakery LLC",
        ssn="123456789",
    )
    return make_flow(lead)


def renewed(flow):
    return flow.client.get(flow.post("renew")["Location"])


def main(response):
    return page(response).split("<main")[1].split("</main>")[0]


def page(response):
    return response.content.decode()


def test_the_start_names_partner_and_business_and_nothing_else(fresh):
    response = fresh.get()

    assert response.status_code == 200
    assert "Acme Books" in page(response)
    assert "Bakery LLC" in page(response)
    for secret in ("Ada", "ada@example.com", "6789", "000000"):
        assert secret not in page(response)
    assert "no-store" in response["Cache-Control"]


def test_whoever_only_follows_the_link_changes_nothing(fresh):
    for _ in range(3):
        fresh.get()

    assert fresh.application.status == Status.CREATED
    assert not Mail.objects.exists()
    assert not FlowSession.objects.exists()


def test_a_link_with_a_slash_at_its_end_is_the_link(fresh):
    response = fresh.client.get(f"{fresh.path()}/")

    assert (response.status_code, response["Location"]) == (302, fresh.path())


def test_a_code_is_mailed_to_the_lead(fresh):
    response = fresh.post()

    assert (response.status_code, response["Location"]) == (303, fresh.path("code"))
    deliver_mails()
    assert mail.outbox[0].to == ["ada@example.com"]


def test_the_right_code_opens_the_first_step_with_something_missing(fresh):
    response = fresh.come_in()

    assert (response.status_code, response["Location"]) == (303, fresh.path("you"))
    assert fresh.application.status == Status.IN_PROGRESS
    assert "Ada" in page(fresh.get("you"))


def test_the_cookie_is_for_the_pages_of_the_link_alone(fresh):
    cookie = fresh.come_in().cookies["applicant"]

    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (fresh.path(), True, "Lax")


@pytest.mark.parametrize(
    ("code", "words", "tries"),
    [
        ("", "Enter the six digits", 0),
        ("abc", "Enter the six digits", 0),
        ("12345", "Enter the six digits", 0),
        ("0" * 50, "Enter the six digits", 0),
        ("111111", "You have 4 more tries", 1),
    ],
)
def test_a_wrong_code_opens_nothing_and_reload_repeats_no_post(fresh, code, words, tries):
    fresh.post()

    answer = fresh.post("code", {"code": code})

    for _ in range(2):
        assert words in page(fresh.client.get(answer["Location"]))
        assert "<title>Error: " in page(fresh.client.get(answer["Location"]))
    assert AccessCode.objects.get().tries == tries
    assert not FlowSession.objects.exists()
    assert fresh.get("you").status_code == 303


def test_a_code_may_be_typed_with_a_space(fresh):
    fresh.post()

    assert fresh.post("code", {"code": "000 000"})["Location"] == fresh.path("you")


def test_the_code_of_an_application_that_ended_meanwhile_leads_to_the_page_that_says_so(
    fresh, monkeypatch
):
    fresh.post()
    monkeypatch.setattr(
        access_codes,
        "check_code",
        lambda *_asked, **_values: Application.objects.update(status=Status.EXPIRED),
    )

    response = fresh.send("code", {"code": CODE})

    assert (response.status_code, response["Location"]) == (303, fresh.path())
    assert "is closed" in page(fresh.get())
    assert not FlowSession.objects.exists()


def test_without_a_code_nobody_comes_in(fresh):
    answer = fresh.post("code", {"code": CODE})

    assert "no longer valid" in page(fresh.client.get(answer["Location"]))


def test_the_page_of_the_code_names_the_address_and_a_new_code(fresh):
    answer = fresh.post(data={"again": "1"})
    shown = page(fresh.client.get(answer["Location"]))

    assert "a••••@example.com" in shown
    assert "ada@example.com" not in shown
    assert "We have sent a new code" in shown
    assert "Ask Acme Books to start a new application" in shown


def test_after_too_many_codes_a_page_says_when_to_go_on(fresh):
    for _ in range(5):
        fresh.post()

    response = fresh.client.get(fresh.post()["Location"])

    assert response.status_code == 429
    assert AccessCode.objects.count() == 5
    assert 0 < int(response["Retry-After"]) <= 3600
    assert re.search(r"another code in \d+ minutes\. The newest code still", page(response))
    assert f'class="button" href="{fresh.path("code")}"' in page(response)
    assert f'href="{fresh.path()}">Back to the start' in page(response)
    assert "Acme Books" in page(response)


def test_whoever_came_in_before_goes_on_without_a_code(fresh):
    fresh.come_in()

    assert fresh.get()["Location"] == fresh.path("you")


def test_whoever_leaves_needs_a_code_again(fresh):
    fresh.come_in()

    response = fresh.post("leave")

    assert response["Location"] == fresh.path()
    assert response.cookies["applicant"].value == ""
    assert not FlowSession.objects.exists()
    assert fresh.get("you")["Location"] == fresh.path()


def test_a_session_opens_no_other_application(fresh, make_flow):
    other = make_flow()
    other.client = fresh.client
    fresh.come_in()

    response = other.get("you")

    assert (response.status_code, response["Location"]) == (303, other.path())


def test_a_hosted_session_opens_no_frame(fresh):
    fresh.come_in()
    key = fresh.client.cookies["applicant"].value
    path = f"/connect/v1/frame/{fresh.lead.external_id}/you"

    answers = [
        fresh.client.get(path),
        fresh.client.get(path, headers={"Authorization": f"Bearer {key}"}),
    ]

    assert [answer.status_code for answer in answers] == [401, 401]


def test_a_session_that_was_not_used_leads_back_to_the_start(fresh):
    fresh.come_in()
    FlowSession.objects.update(expires_at=timezone.now())

    start = fresh.get("you")["Location"]

    assert start == f"{fresh.path()}?ended=over"
    assert "Your session ended. Your answers are saved" in page(fresh.client.get(start))


@pytest.mark.parametrize(
    ("values", "status", "words"),
    [
        ({"link_expires_at": timezone.now() - timedelta(days=1)}, 410, "has expired"),
        ({"status": Status.EXPIRED}, 410, "is closed"),
        ({"status": Status.WITHDRAWN}, 410, "is closed"),
    ],
)
@pytest.mark.parametrize("name", ["", "code"])
def test_a_link_that_is_over_says_what_to_do(fresh, values, status, words, name):
    Application.objects.update(**values)

    response = fresh.get(name)

    assert response.status_code == status
    assert words in page(response)


def test_the_link_of_an_older_attempt_offers_the_newer_link(fresh):
    Application.objects.update(status=Status.EXPIRED, is_current=False)
    newest = make_application(fresh.lead, attempt=2, at=timezone.now())

    answers = [fresh.get(), renewed(fresh)]

    assert [answer.status_code for answer in answers] == [410, 200]
    assert Mail.objects.get().application == newest


def test_an_expired_link_offers_a_new_one_by_mail(fresh):
    Application.objects.update(link_expires_at=timezone.now())
    assert f'action="{fresh.path("renew")}"' in page(fresh.get())

    response = renewed(fresh)
    deliver_mails()

    assert response.status_code == 200
    assert "Check your email" in page(response)
    assert "Acme Books" in page(response)
    [sent] = mail.outbox
    assert sent.to == ["ada@example.com"]
    [new] = re.findall(r"http://testserver(/apply/\S+)", sent.body)
    assert fresh.client.get(new).status_code == 200
    assert fresh.get().status_code == 410


def test_a_replaced_link_offers_the_newer_link_by_mail(fresh):
    links.replace_link(fresh.application, at=timezone.now())

    shown = fresh.get()
    answer = renewed(fresh)
    deliver_mails()

    assert shown.status_code == 410
    assert "This link has been replaced" in page(shown)
    assert "Acme Books" in page(shown)
    assert "Check your email" in page(answer)
    [sent] = mail.outbox
    assert sent.to == ["ada@example.com"]
    assert links.location(fresh.application) in sent.body


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.EXPIRED, "was not completed in time"),
        (Status.WITHDRAWN, "It was withdrawn on"),
        (Status.DENIED, "We sent the decision"),
    ],
)
@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_dead_link_to_a_closed_application_promises_no_mail(fresh, status, words, is_replaced):
    if is_replaced:
        links.replace_link(fresh.application, at=timezone.now())
    Application.objects.update(status=status, link_expires_at=timezone.now())

    answers = [fresh.get(), renewed(fresh)]

    for answer in answers:
        assert answer.status_code == 410
        assert words in page(answer)
        assert "Send me" not in page(answer)
    assert not Mail.objects.exists()


def test_whether_a_link_is_ours_is_not_told(fresh):
    Application.objects.update(link_expires_at=timezone.now())

    ours, theirs = (
        fresh.client.get(fresh.client.post(path)["Location"])
        for path in (fresh.path("renew"), "/apply/nonsense/renew")
    )

    assert main(ours) == main(theirs)
    assert Mail.objects.count() == 1


def test_a_request_for_a_link_is_a_post(fresh):
    assert fresh.get("renew")["Location"] == fresh.path()
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(fresh.path("renew")).status_code == 403


def test_a_link_that_never_was_leads_nowhere(db):
    response = Client().get("/apply/nonsense")

    assert response.status_code == 404
    assert "This link does not work" in page(response)


@pytest.mark.parametrize("rest", ["nonsense", "you/more", "owners/nobody"])
def test_below_a_link_a_page_that_never_was_is_told_in_the_readers_language(fresh, rest):
    response = fresh.client.get(fresh.path(rest), headers=SPANISH)

    assert response.status_code == 404
    assert "Este enlace no funciona" in page(response)


def test_a_decided_application_still_shows_its_status_after_the_code(fresh):
    Application.objects.update(status=Status.DENIED)

    assert fresh.come_in()["Location"] == fresh.path("status")


def test_a_form_of_another_site_is_refused(fresh):
    fresh.come_in()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = fresh.client.cookies

    assert strict.post(fresh.path("you"), {}).status_code == 403
    assert strict.post(fresh.path("code"), {"code": CODE}).status_code == 403


@pytest.mark.parametrize("name", ["", "code"])
def test_the_way_in_is_spanish_too(fresh, name):
    response = fresh.client.get(fresh.path(name), headers=SPANISH)

    assert response["Content-Language"] == "es"
    assert "código" in page(response)


def test_too_much_at_once_is_refused_before_it_is_read(fresh):
    fresh.come_in()

    response = fresh.client.post(fresh.path("you"), {}, CONTENT_LENGTH=str(10**9))

    assert response.status_code == 413


def test_a_size_that_is_no_number_is_none(fresh):
    fresh.come_in()

    assert fresh.client.post(fresh.path("you"), {}, CONTENT_LENGTH="much").status_code == 303


@pytest.mark.parametrize("name", ["", "code"])
def test_a_form_of_a_dead_link_leads_to_the_page_that_says_so(fresh, name):
    Application.objects.update(link_expires_at=timezone.now())

    assert fresh.send(name)["Location"] == fresh.path()


@pytest.mark.parametrize(
    ("sent", "kept"), [("Europe/Berlin", "Europe/Berlin"), ("../etc/passwd", ""), ("", "")]
)
def test_the_zone_of_the_browser_is_kept_if_it_is_one(fresh, sent, kept):
    fresh.post()
    fresh.send("code", {"code": CODE, "time_zone": sent})

    assert fresh.application.time_zone == kept
