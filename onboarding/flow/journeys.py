"""Journeys: the pages of one application, its session and its progress."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Supplier
from onboarding.models import Application, Document, FlowSession, Owner
from onboarding.queries.leads import LeadFile, open_lead_file
from onboarding.queries.requirements import SOLE_PROPRIETORS, Requirement
from onboarding.queries.steps import Step, step_of
from onboarding.services.access import sessions

COOKIE = "__Secure-applicant" if settings.TLS else "applicant"


@dataclass(frozen=True)
class Progress:
    """The progress of a step, for the navigation."""

    step: Step
    url: str
    is_done: bool
    is_current: bool


@dataclass(frozen=True)
class Journey:
    """An application with its session: hosted under a link, or embedded under a customer id.

    Under an owner's link it is the owner's own part of the application.
    """

    application: Application
    key: dict[str, Any] = field(repr=False)  # the path parameters of its pages
    session: FlowSession | None = None

    @property
    def is_embedded(self) -> bool:
        """Return whether the pages are shown in a frame of the partner's page."""
        return "customer_id" in self.key

    @property
    def is_editable(self) -> bool:
        """Return whether the application is not submitted yet."""
        return Status(self.application.status).is_editable

    def may_open(self, document: Document) -> bool:
        """Return whether the content of a file of the lead may be shown in the applicant's session.

        The identification that an owner or a phone sent is shown to nobody but staff: who lures a
        stranger to the QR code of an application gets no picture of the stranger's identification.
        """
        if document.supplied_by == Supplier.OWNER or document.is_by_phone:
            return False
        return not self.is_embedded or (
            self.session is not None and sessions.may_open(self.session, document)
        )

    def url(self, name: str, **more: Any) -> str:
        """Return the path of this application's page with a URL name, hosted or embedded.

        `more` are the path parameters of the page besides the journey's `key`.
        """
        namespace = "embedded" if self.is_embedded else "part" if self.owner else "hosted"
        return reverse(f"flow:{namespace}:{name}", kwargs={**self.key, **more})

    def link(self, name: str, *, at: str) -> str:
        """Return the address of a page, for a link on the page at the path `at`.

        It is relative, since paths are long. In a frame it is the whole path, since the frame has
        another address than the page that it shows.
        """
        url = self.url(name)
        return url if self.is_embedded else posixpath.relpath(url, posixpath.dirname(at))

    @property
    def owner(self) -> Owner | None:
        """Return the owner whose session it is; None for the applicant."""
        return self.session.owner if self.session else None

    @property
    def leave_url(self) -> str:
        """Return the path that ends the session; empty in a frame."""
        return "" if self.is_embedded else entrance_url("leave", self.key)

    def file(self) -> LeadFile:
        """Return the lead with owners, documents and requirements, read from the database anew."""
        return open_lead_file(self.application)

    @property
    def uploads_url(self) -> str:
        """Return the page that asks for documents: a step, the review, or later the status."""
        if not self.is_editable:
            return self.url("status")
        return self.url(Step.DOCUMENTS if Step.DOCUMENTS in self.steps else Step.REVIEW)

    @property
    def steps(self) -> list[Step]:
        """Return the steps of this application.

        A sole proprietor has no other owners. Their identification is their only document: the
        review asks for it first, and the status page once they have signed without it.
        """
        is_alone = self.application.lead.business_type in SOLE_PROPRIETORS
        left_out = {Step.OWNERS, Step.DOCUMENTS} if is_alone else set()
        return [step for step in Step if step not in left_out]

    def after(self, step: Step) -> Step:
        """Return the step after a step that is not the last."""
        return next(one for one in self.steps if _place(one) > _place(step))

    def before(self, step: Step) -> Step | None:
        """Return the step before a step; None before the first."""
        return next((one for one in reversed(self.steps) if _place(one) < _place(step)), None)

    def progress(self, current: str, unfinished: set[Step], *, at: str) -> list[Progress]:
        """Return all steps in order, with their links for the page at a path.

        A step is done if it was visited and is not unfinished; the review step never is.
        `current` is the step that is shown, or empty. It is listed even if `steps` lacks it.
        """
        steps = [step for step in Step if step in self.steps or step == current]
        done = set(self.application.visited_steps) - unfinished - {Step.REVIEW}
        return [
            Progress(step, self.link(step, at=at), step in done, step == current) for step in steps
        ]

    def missing(self, requirements: Iterable[Requirement]) -> set[Step]:
        """Return the steps in which the applicant supplies the missing `requirements`."""
        return {step_of(requirement) for requirement in requirements}


def _place(step: Step) -> int:
    return list(Step).index(step)


def remember_key(response: HttpResponse, session_key: str, key: dict[str, Any]) -> None:
    """Store the key of a hosted session in a cookie of the link, until the browser is closed.

    Links that are open in one browser have a cookie each.
    """
    response.set_cookie(
        COOKIE,
        session_key,
        path=entrance_url("start", key),
        httponly=True,
        samesite="Lax",
        secure=settings.TLS,
    )


def entrance_url(name: str, key: dict[str, Any]) -> str:
    """Return the path of a public page of a link, an applicant's or an owner's."""
    return reverse(f"flow:owner_{name}" if "owner_link" in key else f"flow:{name}", kwargs=key)


def sent_key(request: HttpRequest, *, is_embedded: bool) -> str:
    """Return the session key of the request; empty if there is none.

    In a frame, only the Authorization header is read, no cookie.
    """
    if not is_embedded:
        return request.COOKIES.get(COOKIE, "")
    scheme, _space, key = request.headers.get("Authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def go_to(url: str) -> HttpResponse:
    """Redirect with 303: the browser follows with GET after any method."""
    return HttpResponseRedirect(url, status=HTTPStatus.SEE_OTHER)


def switch_language(journey: Journey, language: str, url: str) -> HttpResponse:
    """Redirect to `url`; save the language in the session and, outside a frame, in a cookie."""
    response = go_to(url)
    if journey.session:
        sessions.choose_language(journey.session, language)
    if not journey.is_embedded:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
    return response


def leave(journey: Journey) -> HttpResponse:
    """End a hosted session and redirect to the start of the link."""
    if journey.session:
        sessions.end_session(journey.session)
    start = entrance_url("start", journey.key)
    response = go_to(start)
    response.delete_cookie(COOKIE, path=start, samesite="Lax")
    response["Clear-Site-Data"] = '"cache", "storage"'  # pages that the browser shows on going back
    return response
