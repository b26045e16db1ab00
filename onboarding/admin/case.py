"""Case page: the data of an application, and the steps that the user may take."""

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponseNotAllowed
from django.urls import reverse
from django.utils import timezone

from foundation.backoffice.downloads import serve_download
from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import badge, link_to
from onboarding.admin.case_answers import split_messages
from onboarding.admin.case_checklist import checklist_of
from onboarding.admin.case_checks import checks_of
from onboarding.admin.case_decision import decision_of
from onboarding.admin.case_documents import documents_of
from onboarding.admin.case_messages import thread_of
from onboarding.admin.case_people import (
    BUSINESS_NUMBERS,
    answers_of,
    business_facts,
    numbers_of,
    person_card,
    rated_values,
)
from onboarding.admin.case_related import related_of
from onboarding.admin.case_steps import REVEAL, STEPS
from onboarding.admin.case_timeline import timeline_of
from onboarding.admin.clocks import clock_badge
from onboarding.admin.consents import consent_table
from onboarding.admin.hidden_decisions import HiddenDecisions, hidden_check
from onboarding.admin.hits import HitSteps
from onboarding.admin.holdings import holdings_of
from onboarding.admin.ownership import ownership_chart, tint_of
from onboarding.admin.people import lead_name
from onboarding.admin.queue import claim_of
from onboarding.admin.staff_names import name_of
from onboarding.admin.statuses import status_badge
from onboarding.choices import LlcFileType
from onboarding.models import (
    Application,
    Check,
    Consent,
    Document,
    Lead,
    Note,
    Owner,
)
from onboarding.queries import checks
from onboarding.queries.leads import open_lead_file
from onboarding.services.leads.confirmed_answers import list_confirmed
from onboarding.services.leads.signed_record_files import write_pdf
from onboarding.services.leads.signed_records import has_record


class CasePage(HiddenDecisions, HitSteps):
    """The change page of an application."""

    def change_view(self, request, object_id, form_url="", extra_context=None):
        application = self.get_object(request, unquote(object_id))
        if application is None:
            raise Http404
        if not self.has_view_permission(request, application):
            raise PermissionDenied
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        return self.show_case(request, application)

    def get_urls(self):
        return [self.page("signed_record", may_view_record), *super().get_urls()]

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("claimed_by", "account", "assignee")

    def signed_record(self, request, application):
        """Return the signed application as a PDF. Raises: Http404 before the signature."""
        if not has_record(application):
            raise Http404
        record = application.signed_record
        download = write_pdf(record, at=timezone.now())
        return serve_download(request, download, document=record)

    def show_case(self, request, application, *, bound=None, revealed=None, status=200):
        """Return the case page, or a page that asks first if the decision is hidden from the user.

        `bound` is the `BoundStep` of a refused form. `revealed` has a personal number in clear,
        with its key on the page and the seconds for which it is shown.
        """
        if check := hidden_check(request, application.lead_id):
            return self.ask_to_read(request, application, check)
        data = self._data(request, application, bound)
        step_answers = split_messages(request)
        return self.show_page(
            request,
            "onboarding/application/case",
            **self._headline(application),
            **data,
            **decision_of(request, application, bound, data),
            step_answers=step_answers,
            messages=step_answers.get("", []),
            original=application,
            title="Case",
            may=self._rights(request),
            urls=self._urls(application),
            refused=bound,
            revealed=revealed,
            timeline=timeline_of(request, application),
            status=status,
        )

    def _rights(self, request):
        """Return for each step, and for revealing numbers, whether the user has the permission."""
        rights = {name: self.may_take(request, step) for name, step in STEPS.items()}
        return {**rights, "reveal": self.may_take(request, REVEAL)}

    def _urls(self, application):
        names = [*STEPS, "reveal", "change", "signed_record"]
        return {
            name: reverse(f"admin:onboarding_application_{name}", args=[application.pk])
            for name in names
        }

    def _headline(self, application):
        lead, now = application.lead, timezone.now()
        return {
            "application": application,
            "lead": lead,
            "headline": lead_name(lead),
            "partner": link_to(lead.partner, lead.partner.name),
            "referrer": _referrer(application),
            "status_badge": status_badge(application.status),
            "risk_badge": risk_badge(application),
            "clock_badge": clock_badge(application, now),
            "claim": claim_of(application, at=now),
            "assignee": application.assignee and name_of(application.assignee),
            "attempts": _other_attempts(application),
        }

    def _data(self, request, application, bound):
        """Return the template context of the lead and its related rows that the user may view."""
        data = _notes(application) if may_view(request, Note) else {"notes": None, "thread": None}
        may_view_lead = may_view(request, Lead, Owner, Document)
        file = open_lead_file(application) if may_view_lead else None
        if may_view(request, Consent):
            data["consents"] = consent_table(application, file)
            is_signed = bool(data["consents"].rows)
            data["has_record"] = is_signed and may_view_record(request) and has_record(application)
        data |= self.hits_of(request, application, file, bound)
        if file is None:
            return data
        tints, rated = tint_of(file.people), rated_values(application)
        cards = [
            person_card(
                person,
                tints.get(person.external_id),
                confirmed=list_confirmed(person, file),
                rated=rated,
            )
            for person in file.people
        ]
        data |= {
            "has_data": True,
            "file": file,
            "business_facts": business_facts(application.lead, rated=rated),
            "business_numbers": numbers_of(application.lead, BUSINESS_NUMBERS),
            "ring": ownership_chart(file.people),
            "holdings": holdings_of(file),
            "applicant": cards[0],
            "owners": cards[1:],
            "holders": [card for card in cards if card["share"]],
            "answers": answers_of(application.lead),
            "checklist": checklist_of(file),
            "documents": documents_of(file),
            "kinds": LlcFileType.choices,
            "related": related_of(file),
        }
        if may_view(request, Check):
            data["current_checks"] = checks.list_current_checks(application)
            data["checks"] = checks_of(file, data["current_checks"])
            data["open_items"] = sum(row.is_open for row in data["checks"]["items"])
        return data


def may_view_record(request):
    """Return whether the user may view the application, the consents and the answers."""
    return may_view(request, Application, Consent, Lead, Owner, Document)


def risk_badge(application):
    """Return the risk as a badge, or an empty string if not rated."""
    if not application.risk:
        return ""
    label = f"{application.get_risk_display()} risk"
    return badge(f"risk_{application.risk}", label, f"{application.risk_points} points")


def _referrer(application):
    """Return a link to the referral that began the application; None if none did."""
    referral = application.referral
    return referral and link_to(referral, referral.accountant.firm_name)


def _other_attempts(application):
    """Return the other applications of the lead. A current first attempt has none."""
    if application.is_current and application.attempt == 1:
        return []
    return list(application.lead.applications.exclude(pk=application.pk).order_by("attempt"))


def _notes(application):
    """Return the internal `notes`, each with its `writer`, and the `thread` with the applicant."""
    found = list(application.notes.select_related("by"))
    notes = [note for note in found if not note.is_for_applicant]
    for note in notes:
        note.writer = name_of(note.by)
    return {"notes": notes, "thread": thread_of(application, found)}
