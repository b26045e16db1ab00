"""Reads of applications: by the applicant's link, and the language of each applicant."""

from collections.abc import Iterable
from datetime import datetime

from foundation.privacy.secret_digests import digest
from onboarding.models import Application, Consent, FlowSession, Partner

ENGLISH = "en"


class LinkExpired(Exception):
    """The link of `application` has expired, or a newer attempt has replaced the application."""

    def __init__(self, application: Application) -> None:
        self.application = application
        super().__init__(str(application))


class LinkReplaced(LinkExpired):
    """A newer link to the same application has replaced this link."""


def get_application_by_link(link: str, *, at: datetime) -> Application:
    """Return the application that the applicant's link opens, with lead and partner.

    Raises: Application.DoesNotExist for an unknown link, LinkExpired, LinkReplaced.
    """
    applications = Application.objects.select_related("lead__partner")
    application = applications.filter(link_digest=digest(link)).first()
    if application is None:
        replaced = {"replaced_links__digest": digest(link), "replaced_links__owner": None}
        raise LinkReplaced(applications.get(**replaced))
    if application.link_expires_at <= at or not application.is_current:
        raise LinkExpired(application)
    return application


def find_partner(link: str, *, at: datetime) -> Partner | None:
    """Return the partner of a link, expired or replaced or not; None for an unknown link."""
    try:
        return get_application_by_link(link, at=at).lead.partner
    except LinkExpired as exc:
        return exc.application.lead.partner
    except Application.DoesNotExist:
        return None


def get_current_attempt(application: Application) -> Application:
    """Return the newest attempt of the same lead, with lead and partner."""
    attempts = Application.objects.select_related("lead__partner")
    return attempts.get(lead=application.lead_id, is_current=True)


def get_reading_language(application: Application) -> str:
    """Return the language of the applicant's newest session, else of the consents, else English."""
    return list_reading_languages([application.pk])[application.pk]


def list_reading_languages(pks: Iterable[int]) -> dict[int, str]:
    """Return `get_reading_language` for many applications by their keys, in two statements."""
    found = dict.fromkeys(pks, ENGLISH)
    of_applicants = FlowSession.objects.filter(owner=None).exclude(language="")
    for spoken in (Consent.objects.filter(ubo_id=None), of_applicants):
        of_these = spoken.filter(application__in=list(found)).order_by("pk")
        found |= dict(of_these.values_list("application_id", "language"))
    return found
