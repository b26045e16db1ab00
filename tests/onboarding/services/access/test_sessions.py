"""Sessions: opened by a code or by a token, kept alive by use."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Event, FlowSession
from onboarding.queries.sessions import get_session
from onboarding.services.access import links, sessions
from tests.factories import NOON, later, make_document


@pytest.fixture
def application(make_application):
    return make_application()


@pytest.fixture
def exchange(application):
    token = links.regrant(application, at=NOON).token

    def exchange(*, at=NOON, **values):
        said = {"customer_id": str(application.lead.external_id), "token": token, **values}
        return sessions.exchange_token(**said, language="en", at=at)

    return exchange


def test_the_first_session_begins_the_application(application):
    sessions.open_session(application, language="es", at=NOON)

    stored = Application.objects.get()
    assert (stored.status, stored.entered_at) == (Status.IN_PROGRESS, NOON)
    assert FlowSession.objects.get().language == "es"
    assert [event.type for event in Event.objects.all()] == ["application.started"]


def test_a_later_session_is_written_down(application):
    sessions.open_session(application, language="en", at=NOON)
    sessions.open_session(application, language="en", at=later(days=3))

    assert [event.type for event in Event.objects.all()] == ["application.started", "flow.entered"]
    assert Application.objects.get().entered_at == later(days=3)


def test_the_key_is_stored_nowhere(application):
    opened = sessions.open_session(application, language="en", at=NOON)

    assert opened.key not in str(FlowSession.objects.values())
    assert opened.key not in repr(opened)
    assert get_session(opened.key, at=NOON) == opened.session


@pytest.mark.parametrize("status", [Status.EXPIRED, Status.WITHDRAWN])
def test_nobody_comes_into_what_is_over(make_application, status):
    application = make_application(status=status)

    with pytest.raises(sessions.NoWayIn):
        sessions.open_session(application, language="en", at=NOON)


def test_a_session_lives_as_long_as_it_is_used(application, settings):
    opened = sessions.open_session(application, language="en", at=NOON)

    for minutes in (29, 61, 62):
        sessions.keep_alive(opened.session, at=later(minutes=minutes))
        lives_until = FlowSession.objects.get().expires_at
        assert lives_until == later(minutes=minutes) + settings.FLOW_SESSION_LIFETIME


def test_requests_in_quick_succession_extend_a_session_once(application, settings):
    opened = sessions.open_session(application, language="en", at=NOON)

    sessions.keep_alive(opened.session, at=later(seconds=59))

    assert FlowSession.objects.get().expires_at == NOON + settings.FLOW_SESSION_LIFETIME


def test_a_session_ends_a_day_after_its_start_however_much_it_is_used(application):
    opened = sessions.open_session(application, language="en", at=NOON)

    for hours in range(24):
        sessions.keep_alive(opened.session, at=later(hours=hours))

    assert FlowSession.objects.get().expires_at == later(hours=24)


def test_a_session_that_was_ended_opens_nothing(application):
    opened = sessions.open_session(application, language="en", at=NOON)

    sessions.end_session(opened.session)

    with pytest.raises(FlowSession.DoesNotExist):
        get_session(opened.key, at=NOON)


def test_a_language_is_remembered(application):
    session = sessions.open_session(application, language="en", at=NOON).session

    sessions.choose_language(session, "es")

    assert FlowSession.objects.get().language == "es"


def test_a_token_opens_an_embedded_session_once(exchange):
    opened = exchange()

    assert opened.session.is_embedded
    with pytest.raises(sessions.TokenSpent):
        exchange()


@pytest.mark.parametrize(
    "values",
    [
        {"token": "made up"},
        {"customer_id": "018f0000-0000-7000-8000-000000000000"},
        {"at": later(minutes=60)},
    ],
)
def test_a_token_that_is_not_good_opens_nothing(exchange, values):
    with pytest.raises(sessions.TokenSpent):
        exchange(**values)

    assert not FlowSession.objects.exists()
    assert Application.objects.get().token_used_at is None


def test_of_eight_exchanges_at_once_one_wins(in_threads, exchange):
    outcomes = in_threads(lambda _: exchange(), range(8))

    kinds = [type(outcome) for outcome in outcomes]
    assert kinds.count(sessions.OpenSession) == 1, outcomes
    assert kinds.count(sessions.TokenSpent) == 7
    assert FlowSession.objects.count() == 1


def test_files_that_are_sent_at_once_in_a_session_are_all_recorded(in_threads, application):
    session = sessions.open_session(application, language="en", at=NOON, is_embedded=True).session
    sent = [make_document(application.lead) for _ in range(4)]
    requests = [(FlowSession.objects.get(pk=session.pk), document) for document in sent]

    outcomes = in_threads(lambda one: sessions.record_uploads(one[0], [one[1]]), requests)

    session.refresh_from_db()
    assert outcomes == [None] * 4
    assert sorted(session.uploads) == sorted(str(document.external_id) for document in sent)
    assert all(sessions.may_open(session, document) for document in sent)


def test_a_number_is_known_to_the_session_in_which_it_was_typed(make_application):
    application = make_application()
    here, there = (
        sessions.open_session(application, language="en", at=NOON).session for _ in range(2)
    )

    sessions.record_numbers(here, {"None:ssn": "123456789"})

    here.refresh_from_db()
    assert sessions.was_typed(here, "None:ssn", "123456789")
    assert not sessions.was_typed(here, "None:ssn", "123456780")
    assert not sessions.was_typed(here, "None:ein", "123456789")
    assert not sessions.was_typed(there, "None:ssn", "123456789")
    assert "123456789" not in str(here.typed_numbers)


def test_numbers_that_were_guessed_elsewhere_are_forgotten(make_application):
    application = make_application()
    here, there = (
        sessions.open_session(application, language="en", at=NOON).session for _ in range(2)
    )
    for guess in ("123456780", "123456789"):
        sessions.record_numbers(there, {"None:ssn": guess, "None:ein": guess})

    sessions.record_numbers(here, {"None:ssn": "123456789"})

    there.refresh_from_db()
    assert not sessions.was_typed(there, "None:ssn", "123456789")
    assert sessions.was_typed(there, "None:ein", "123456789")
    assert not sessions.was_typed(there, "None:ein", "123456780")
