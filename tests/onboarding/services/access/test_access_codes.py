"""Codes: mailed, tried five times at most, good once and for ten minutes."""

import re

import pytest
from django.core import mail

from onboarding.choices import CodePurpose
from onboarding.event_types import MailKind
from onboarding.models import AccessCode, Mail
from onboarding.services.access import access_codes
from tests.factories import NOON, later
from tests.mailing import deliver_mails

SIX_DIGITS = re.compile(r"\b\d{6}\b")


@pytest.fixture(autouse=True)
def real_codes(settings):
    settings.IS_SANDBOX = False


@pytest.fixture
def application(make_application, make_lead):
    return make_application(make_lead(email="ada@example.com", business_name="Bakery LLC"))


def send(application, at=NOON, language="en", purpose=CodePurpose.ENTRY):
    """Send a code and return it, as the mail tells it."""
    access_codes.send_code(application, purpose, language=language, at=at)
    deliver_mails(at=at)
    return SIX_DIGITS.search(mail.outbox[-1].body)[0]


def other_than(code):
    return f"{(int(code) + 1) % 10**6:06}"


def test_a_code_goes_to_the_leads_email_and_nowhere_else(application):
    code = send(application)

    (sent,) = mail.outbox
    assert sent.to == ["ada@example.com"]
    assert code in sent.subject
    assert "Bakery" not in sent.body
    assert code not in str(AccessCode.objects.values())


def test_the_request_sends_nothing_itself(application):
    access_codes.send_code(application, CodePurpose.ENTRY, language="es", at=NOON)

    queued = Mail.objects.get()
    assert mail.outbox == []
    assert (queued.kind, queued.application, queued.language) == (MailKind.CODE, application, "es")
    assert (queued.due_at, queued.expires_at) == (NOON, later(minutes=10))


def test_no_code_is_good_whose_mail_was_not_queued(application, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError

    monkeypatch.setattr(AccessCode.objects, "create", fail)

    with pytest.raises(RuntimeError):
        access_codes.send_code(application, CodePurpose.ENTRY, language="en", at=NOON)

    assert not Mail.objects.exists()


def test_a_code_is_mailed_in_the_readers_language(application):
    send(application, language="es")

    assert "código" in mail.outbox[0].subject


def test_the_sandbox_has_one_code(application, settings):
    settings.IS_SANDBOX = True

    assert send(application) == "000000"


def test_the_right_code_is_used_up(application):
    code = send(application)

    access_codes.check_code(application, CodePurpose.ENTRY, code, at=later(minutes=9))

    with pytest.raises(access_codes.CodeExpired):
        access_codes.check_code(application, CodePurpose.ENTRY, code, at=later(minutes=9))


def test_a_wrong_code_says_how_often_one_may_try_again(application):
    code = send(application)

    with pytest.raises(access_codes.WrongCode) as caught:
        access_codes.check_code(application, CodePurpose.ENTRY, other_than(code), at=NOON)

    assert caught.value.tries_left == 4


def test_after_five_wrong_codes_the_right_one_is_refused_too(application):
    code = send(application)
    for _ in range(5):
        with pytest.raises(access_codes.WrongCode):
            access_codes.check_code(application, CodePurpose.ENTRY, other_than(code), at=NOON)

    with pytest.raises(access_codes.NoTriesLeft):
        access_codes.check_code(application, CodePurpose.ENTRY, code, at=NOON)


def test_a_code_ends_after_ten_minutes(application):
    code = send(application)

    with pytest.raises(access_codes.CodeExpired):
        access_codes.check_code(application, CodePurpose.ENTRY, code, at=later(minutes=10))


def test_a_new_code_ends_the_one_before(application):
    first = send(application)
    second = send(application, at=later(minutes=1))

    if first != second:
        with pytest.raises(access_codes.WrongCode):
            access_codes.check_code(application, CodePurpose.ENTRY, first, at=later(minutes=1))
    access_codes.check_code(application, CodePurpose.ENTRY, second, at=later(minutes=1))


@pytest.mark.parametrize("purpose", CodePurpose)
def test_a_code_is_good_for_its_purpose_only(application, purpose):
    [other] = set(CodePurpose) - {purpose}
    code = send(application, purpose=purpose)

    assert access_codes.has_code(application, purpose, at=NOON)
    assert not access_codes.has_code(application, other, at=NOON)
    with pytest.raises(access_codes.CodeExpired):
        access_codes.check_code(application, other, code, at=NOON)
    access_codes.check_code(application, purpose, code, at=NOON)


def test_a_code_for_one_purpose_leaves_that_for_the_other(application):
    code = send(application)
    send(application, purpose=CodePurpose.SIGNATURE)

    access_codes.check_code(application, CodePurpose.ENTRY, code, at=NOON)


def test_a_code_of_another_application_is_wrong(application, make_application):
    other = make_application()
    code, others = send(application), send(other)

    if code != others:
        with pytest.raises(access_codes.WrongCode):
            access_codes.check_code(application, CodePurpose.ENTRY, others, at=NOON)


def test_five_codes_an_hour_are_enough(application, settings):
    settings.RATE_LIMIT_FACTOR = 0  # which is for partners, not for guessers
    for minute in range(5):
        send(application, at=later(minutes=minute))

    with pytest.raises(access_codes.TooManyCodes) as caught:
        send(application, at=later(minutes=5))

    assert caught.value.ends_at == later(hours=1)
    assert len(mail.outbox) == 5
    send(application, at=later(minutes=61))


def test_of_eight_guesses_at_once_five_are_looked_at(in_threads, application):
    code = send(application)

    outcomes = in_threads(
        lambda guess: access_codes.check_code(application, CodePurpose.ENTRY, guess, at=NOON),
        [other_than(code)] * 8,
    )

    kinds = [type(outcome) for outcome in outcomes]
    assert kinds.count(access_codes.WrongCode) == 5, outcomes
    assert kinds.count(access_codes.NoTriesLeft) == 3


def test_of_eight_who_have_the_code_one_comes_in(in_threads, application, settings):
    settings.CODE_TRIES = 100
    code = send(application)

    outcomes = in_threads(
        lambda guess: access_codes.check_code(application, CodePurpose.ENTRY, guess, at=NOON),
        [code] * 8,
    )

    assert outcomes.count(None) == 1, outcomes
