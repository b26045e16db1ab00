"""Terms of service of the feed, and their acceptances."""

from banking.models import TermsAcceptance, TermsOfService
from tests.banking.feed.test_batches import results

TERMS = {
    "title": "Account agreement",
    "version": "1.0",
    "url": "https://bank.example.com/terms/1.0",
    "publishedAt": "2026-01-01T00:00:00Z",
}
ACCEPTED = {"terms": "TS-1", "business": "B-1", "acceptedAt": "2026-01-02T09:30:00Z"}


def test_terms_are_accepted_for_good(feed, line, refusals, business):
    outcomes = feed(
        business, line("terms", "TS-1", **TERMS), line("terms-acceptances", "1", **ACCEPTED)
    )

    assert results(outcomes) == ["created"] * 3
    assert TermsAcceptance.objects.get().terms == TermsOfService.objects.get()
    for kind, code in [("terms-acceptances", "1"), ("terms", "TS-1")]:
        gone = {"kind": kind, "externalId": code, "version": 2, "removed": True}
        assert refusals(gone) == [("NOT_REMOVABLE", None)]


def test_a_new_text_is_a_new_version(feed, line, refusals):
    feed(line("terms", "TS-1", **TERMS))

    assert refusals(line("terms", "TS-1", 2, **TERMS | {"version": "1.1"})) == [
        ("VALUE_REFUSED", "/data/version")
    ]
    assert results(feed(line("terms", "TS-2", **TERMS | {"version": "1.1"}))) == ["created"]


def test_an_address_that_is_no_url_is_refused(line, refusals, db):
    sent = line("terms", "TS-1", **TERMS | {"url": "javascript:alert(1)"})

    assert refusals(sent) == [("VALUE_REFUSED", "/data/url")]
