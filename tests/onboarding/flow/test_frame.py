"""The frame in a partner's page."""

import hashlib
import json
import re
import uuid
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, FlowSession
from onboarding.services.access import links
from tests import factories
from tests.pseudo_locales import LONG, translate

ORIGINS = ["https://app.example.com", "http://localhost:9000"]
STATIC = settings.BASE_DIR / "onboarding/static/onboarding"


class Frame:
    """A frame in a page of the partner, with the token that the page would hand over."""

    def __init__(self, application):
        self.application = application
        self.token = links.regrant(application, at=timezone.now()).token
        self.root = f"/connect/v1/frame/{application.lead.external_id}"
        self.client = Client()

    def get(self, **options):
        return self.client.get(self.root, **options)

    def exchange(self, token=None, **body):
        sent = {"token": token or self.token, **body}
        return self.client.post(f"{self.root}/session", sent, content_type="application/json")

    def page(self, location, session):
        headers = {"Authorization": f"Bearer {session}"} if session else {}
        return self.client.get(location, headers=headers)


@pytest.fixture
def make_frame(db):
    def make(lead=None, *, origins=tuple(ORIGINS), **values):
        partner = factories.make_partner(embed_origins=list(origins))
        lead = lead or factories.make_lead(partner, first_name="Ada", email="ada@example.com")
        return Frame(factories.make_application(lead, at=timezone.now(), **values))

    return make


def directives(answer):
    parts = answer["Content-Security-Policy"].split(";")
    return {name: value for name, _space, value in (part.strip().partition(" ") for part in parts)}


def test_the_origins_of_the_partner_may_frame_it_and_nobody_else(make_frame):
    answer = make_frame().get()

    assert answer.status_code == 200
    assert directives(answer)["frame-ancestors"] == "https://app.example.com http://localhost:9000"
    assert "X-Frame-Options" not in answer
    assert "camera=()" in answer["Permissions-Policy"]
    assert 'data-origins="https://app.example.com http://localhost:9000"' in answer.content.decode()


def test_nothing_may_be_loaded_from_elsewhere_nor_written_into_the_page(make_frame):
    answer = make_frame().get()

    assert directives(answer) == {
        "default-src": "'self'",
        "img-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(ORIGINS),
    }
    assert not re.search(rb"<script>|<style| style=| on\w+=", answer.content)


def test_nobody_may_frame_what_no_origin_is_registered_for(make_frame):
    answer = make_frame(origins=()).get()

    assert answer.status_code == 200
    assert directives(answer)["frame-ancestors"] == "'none'"


def test_an_unknown_customer_has_the_same_page_for_nobody(make_frame, client):
    known, nobody = make_frame(origins=()), uuid.uuid4()
    plain = known.get().content.decode()
    plain = plain.replace(known.application.lead.partner.name, settings.BANK_NAME)

    answer = client.get(f"/connect/v1/frame/{nobody}")

    assert answer.status_code == 404
    assert directives(answer)["frame-ancestors"] == "'none'"
    assert answer.content.decode().replace(str(nobody), "") == plain.replace(
        str(known.application.lead.external_id), ""
    )


def test_the_page_tells_nothing_of_the_applicant(make_frame):
    lead = factories.make_lead(
        factories.make_partner(name="Acme"), first_name="Ada", business_name="Tea & Co"
    )

    page = make_frame(lead).get().content.decode()

    assert "Acme" in page
    assert not re.search(rf"Ada|Tea|{re.escape(lead.email)}", page)


def test_no_cookie_is_set_or_read(make_frame):
    frame = make_frame()
    frame.client.cookies["language"] = "es"
    shell, exchanged = frame.get(), frame.exchange()
    opened = exchanged.json()

    step = frame.page(opened["location"], opened["session"])

    assert b'<html lang="en">' in shell.content
    assert not shell.cookies
    assert not exchanged.cookies
    assert not step.cookies
    assert "Cookie" not in shell.get("Vary", "")
    assert "no-store" in shell["Cache-Control"]
    assert "no-store" in exchanged["Cache-Control"]


def test_a_refusal_sets_no_cookie_either(make_frame):
    frame = make_frame()
    opened = frame.exchange().json()

    answer = frame.client.post(
        opened["location"],
        {},
        headers={"Authorization": f"Bearer {opened['session']}", "Content-Length": str(10**9)},
    )

    assert answer.status_code == 413
    assert b'id="flow"' in answer.content
    assert not answer.cookies


@pytest.mark.parametrize(
    ("query", "header", "language"),
    [
        ("", "", "en"),
        ("", "es-MX,es;q=0.9,en;q=0.8", "es"),
        ("", "fr,de;q=0.5", "en"),
        ("?language=es", "en", "es"),
        ("?language=es-419", "en", "es"),
        ("?language=fr", "es", "es"),
        ("?language=%00" + "x" * 600, "*", "en"),
    ],
)
def test_the_language_is_what_the_host_asks_for_or_the_browser(make_frame, query, header, language):
    frame = make_frame()

    answer = frame.client.get(frame.root + query, headers={"Accept-Language": header})

    assert f'<html lang="{language}">' in answer.content.decode()


@pytest.mark.usefixtures("pseudo_locales")
@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Application for a business account"),
        ("es", "Solicitud de una cuenta comercial"),
        (LONG, translate("Application for a business account")),
    ],
)
def test_the_frame_has_its_title_in_each_language(make_frame, language, title):
    answer = make_frame().get(query_params={"language": language})

    assert f'data-title="{title}"' in answer.content.decode()


@pytest.mark.parametrize(
    ("scheme", "shown"),
    [
        ("light", b' data-scheme="light">'),
        ("dark", b' data-scheme="dark">'),
        ('"><b>', b'lang="en">'),
    ],
)
def test_the_host_may_say_that_it_is_always_light_or_dark(make_frame, scheme, shown):
    frame = make_frame()

    answer = frame.client.get(frame.root, {"scheme": scheme})

    assert answer.content.split(b"<head>")[0].strip().endswith(shown)


def test_a_token_opens_the_first_step_by_a_session_in_a_header(make_frame):
    frame = make_frame()

    opened = frame.exchange(language="es").json()
    step = frame.page(opened["location"], opened["session"])

    session = FlowSession.objects.get()
    assert opened["location"] == f"{frame.root}/you"
    assert (session.is_embedded, session.language) == (True, "es")
    assert step.status_code == 200
    assert b'<html lang="es">' in step.content
    assert Application.objects.get().status == Status.IN_PROGRESS


def test_a_form_is_saved_without_a_cookie_by_a_browser_that_checks_forgery(make_frame):
    frame = make_frame()
    frame.client = Client(enforce_csrf_checks=True)
    opened = frame.exchange().json()
    headers = {"Authorization": f"Bearer {opened['session']}"}

    answer = frame.client.post(opened["location"], {"first_name": "Augusta"}, headers=headers)

    frame.application.lead.refresh_from_db()
    assert (answer.status_code, answer["Location"]) == (303, opened["location"])
    assert frame.application.lead.first_name == "Augusta"


@pytest.mark.parametrize("session", ["", "wrong"])
def test_without_its_session_no_page_is_shown(make_frame, session):
    frame = make_frame()
    location = frame.exchange().json()["location"]

    answer = frame.page(location, session)

    assert answer.status_code == 401
    assert not answer.cookies


def test_a_session_opens_the_pages_of_its_own_customer_alone(make_frame):
    frame, other = make_frame(), make_frame()
    session = frame.exchange().json()["session"]

    assert frame.page(f"{other.root}/you", session).status_code == 401


def test_a_used_token_is_refused(make_frame):
    frame = make_frame()

    first, second = frame.exchange(), frame.exchange()

    assert (first.status_code, second.status_code) == (200, 401)
    assert second.json() == {"error": "token_expired"}


def test_of_two_exchanges_at_once_one_wins(transactional_db, in_threads, make_frame):
    frame = make_frame()

    answers = in_threads(lambda _number: frame.exchange(), range(4))

    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]
    assert FlowSession.objects.count() == 1


def test_an_expired_a_replaced_and_an_invented_token_are_refused(make_frame):
    expired, replaced = make_frame(), make_frame()
    expired.application.token_expires_at = timezone.now() - timedelta(seconds=1)
    expired.application.save()
    links.regrant(replaced.application, at=timezone.now())

    assert expired.exchange().status_code == 401
    assert replaced.exchange().status_code == 401
    assert expired.exchange("invented").status_code == 401
    assert not FlowSession.objects.exists()


def test_a_token_is_good_for_its_own_customer_alone(make_frame):
    frame, other = make_frame(), make_frame()

    assert other.exchange(frame.token).status_code == 401
    assert frame.exchange().status_code == 200


def test_an_application_that_is_over_says_so(make_frame):
    answer = make_frame(status=Status.EXPIRED).exchange()

    assert (answer.status_code, answer.json()) == (410, {"error": "closed"})


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("{", "application/json"),
        ("[]", "application/json"),
        ("{}", "application/json"),
        ('{"token": 7}', "application/json"),
        ('{"token": "x", "language": 7}', "application/json"),
        (json.dumps({"token": "x" * 5000}), "application/json"),
        (json.dumps({"token": "\ud800"}), "application/json"),
        ("[" * 4000, "application/json"),
        ("token=x", "application/x-www-form-urlencoded"),
    ],
)
def test_a_malformed_exchange_is_refused(make_frame, body, content_type):
    frame = make_frame()

    answer = frame.client.post(f"{frame.root}/session", body, content_type=content_type)

    assert answer.status_code == 400


def test_the_vendored_script_is_the_one_of_its_notice():
    named = re.findall(
        r"\| (htmx-[\d.]+\.min\.js) \| [\d.]+ \| ([0-9a-f]{64}) \|",
        (STATIC / "htmx" / "README.md").read_text(),
    )

    for name, sha256 in named:
        assert hashlib.sha256((STATIC / "htmx" / name).read_bytes()).hexdigest() == sha256
    assert [path.name for path in (STATIC / "htmx").glob("*.js")] == [name for name, _ in named]


def test_htmx_neither_evaluates_nor_writes_styles_nor_keeps_pages(make_frame):
    page = make_frame().get().content.decode()

    config = json.loads(re.search(r"name=\"htmx-config\" content='(.*?)'", page)[1])
    assert {name: config[name] for name in config if name != "responseHandling"} == {
        "allowEval": False,
        "allowScriptTags": False,
        "attributesToSettle": ["class"],
        "historyEnabled": False,
        "includeIndicatorStyles": False,
        "selfRequestsOnly": True,
        "scrollIntoViewOnBoost": False,
    }


@pytest.mark.parametrize(
    ("language", "notice"),
    [
        ("en", "you chose files but did not upload them, choose them again"),
        ("es", "elíjalos de nuevo"),
    ],
)
def test_the_end_of_a_session_promises_no_files_that_were_not_uploaded(
    make_frame, language, notice
):
    words = make_frame().get(data={"language": language}).content.decode()

    [ended] = re.findall(r'<template id="spent">(.*?)</template>', words, re.DOTALL)
    assert notice in ended
    assert "We kept your answers" not in ended


def test_the_zone_of_the_browser_is_kept(make_frame):
    frame = make_frame()

    frame.exchange(timeZone="America/Denver")

    assert Application.objects.get().time_zone == "America/Denver"


def test_a_zone_of_another_type_is_refused(make_frame):
    assert make_frame().exchange(timeZone=["UTC"]).status_code == 400
