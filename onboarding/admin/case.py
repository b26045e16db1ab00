"""Case page: the data of an application, and the steps that the user may take."""

from dataclasses import dataclass, field
from typing import Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponseNotAllowed
from django.urls import reverse
from django.utils import timezone

from foundation.backoffice.downloads import serve_download
from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import badge, link_to
from onboarding.admin.case_checklist import checklist_of
from onboarding.admin.case_checks import checks_of
from onboarding.admin.case_documents import BACK_VIEWER, documents_of, unopened_of
from onboarding.admin.case_forms import NoteForm
from onboarding.admin.case_people import (
    BUSINESS_NUMBERS,
    answers_of,
    business_facts,
    numbers_of,
    person_card,
)
from onboarding.admin.case_steps import REVEAL, STEPS, CaseSteps
from onboarding.admin.case_timeline import name_of, timeline_of
from onboarding.admin.clocks import clock_badge
from onboarding.admin.consents import consent_table
from onboarding.admin.holdings import holdings_of
from onboarding.admin.ownership import ownership_chart, tint_of
from onboarding.admin.people import lead_name
from onboarding.admin.queue import claim_of
from onboarding.admin.statuses import status_badge
from onboarding.choices import DenialReason, LlcFileType, ProposalKind, ProposalStatus
from onboarding.models import (
    Application,
    Check,
    Consent,
    Document,
    Lead,
    Note,
    Owner,
    Proposal,
)
from onboarding.queries import checks, evidence
from onboarding.queries.leads import open_lead_file
from onboarding.services.leads.confirmed_answers import list_confirmed
from onboarding.services.leads.signed_record_files import write_pdf
from onboarding.services.leads.signed_records import has_record
from onboarding.services.reviews import proposals, steps

GOOD, BAD = {"approve", "approve_temporarily", "confirm"}, {"deny", "refuse"}
SETTLING = {"confirm", "refuse", "withdraw"}
NEVER_ON_PANEL = {"claim", "release"}  # shown in the headline
DIGITS = 12  # shown of an evidence digest, enough to compare two by eye


@dataclass(frozen=True)
class Choice:
    """A step on the decision panel: its button and its form."""

    name: str
    label: str
    url: str
    form: Any
    tone: str = ""
    needs_second: list[str] = field(default_factory=list)
    is_open: bool = False
    unopened: list[dict[str, Any]] = field(default_factory=list)

    @property
    def asks(self):
        """Return whether the form has visible fields."""
        return bool(self.form.visible_fields())


class CasePage(CaseSteps):
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
        return super().get_queryset(request).select_related("claimed_by", "account")

    def signed_record(self, request, application):
        """Return the signed record as a PDF."""
        if not has_record(application):
            raise Http404
        record = application.signed_record
        download = write_pdf(record, at=timezone.now())
        return serve_download(request, download, document=record)

    def show_case(self, request, application, *, bound=None, revealed=None, status=200):
        """Return the page; `bound` is a refused form, `revealed` a personal number in clear."""
        data = self._data(request, application)
        return self.show_page(
            request,
            "onboarding/application/case",
            **self._headline(application),
            **data,
            **self._decision(request, application, bound, data),
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
            "attempts": _other_attempts(application),
        }

    def _data(self, request, application):
        """Return the template context of the lead and its related rows that the user may view."""
        data = {"notes": _notes(application) if may_view(request, Note) else None}
        may_view_lead = may_view(request, Lead, Owner, Document)
        file = open_lead_file(application) if may_view_lead else None
        if may_view(request, Consent):
            data["consents"] = consent_table(application, file)
            is_signed = bool(data["consents"].rows)
            data["has_record"] = is_signed and may_view_record(request) and has_record(application)
        if file is None:
            return data
        tints = tint_of(file.people)
        cards = [
            person_card(
                person, tints.get(person.external_id), confirmed=list_confirmed(person, file)
            )
            for person in file.people
        ]
        data |= {
            "has_data": True,
            "business_facts": business_facts(application.lead),
            "business_numbers": numbers_of(application.lead, BUSINESS_NUMBERS),
            "ring": ownership_chart(file.people),
            "holdings": holdings_of(file),
            "applicant": cards[0],
            "owners": cards[1:],
            "holders": [card for card in cards if card["share"]],
            "answers": answers_of(application.lead),
            "checklist": checklist_of(file),
            "documents": (rows := documents_of(file)),
            "has_backs": any(row["viewer"] == BACK_VIEWER for row in rows),
            "kinds": LlcFileType.choices,
        }
        if may_view(request, Check):
            data["current_checks"] = checks.list_current_checks(application)
            data["checks"] = checks_of(file, data["current_checks"])
            data["open_items"] = sum(row.is_open for row in data["checks"]["items"])
        return data

    def _decision(self, request, application, bound, data):
        offered = steps.list_moves(application, user=request.user, at=timezone.now())
        offered += _lost(bound, offered)
        offered = [move for move in offered if move.name in STEPS]
        unopened = []
        if any(move.name == "approve" for move in offered):
            unopened = unopened_of(data.get("documents", []), by=request.user)
        choices = [self._choice(application, move, bound, unopened) for move in offered]
        note = bound.form if bound and bound.step == "note" else None
        current = data.get("current_checks", [])
        proposal = _open_proposal(application, current) if may_view(request, Proposal) else None
        is_void = proposal is not None and proposal["is_void"]
        settling = [
            one for one in choices if one.name in SETTLING - ({"confirm"} if is_void else set())
        ]
        for choice in settling:
            choice.form.initial["proposal"] = proposal and proposal["proposal"].pk
        return {
            "moves": {choice.name: choice for choice in choices},
            "choices": [one for one in choices if one.name not in NEVER_ON_PANEL | SETTLING],
            "settling": settling,
            "proposal": proposal,
            "note_form": note or NoteForm(application=application, name="note"),
        }

    def _choice(self, application, move, bound, unopened):
        is_tried = bound is not None and bound.step == move.name
        step = STEPS[move.name]
        form = bound.form if is_tried else step.form(application=application, name=move.name)
        tone = "good" if move.name in GOOD else "danger" if move.name in BAD else ""
        url = reverse(f"admin:onboarding_application_{move.name}", args=[application.pk])
        return Choice(
            name=move.name,
            label=str(move.label),
            url=url,
            form=form,
            tone=tone,
            needs_second=list(move.needs_second),
            is_open=is_tried,
            unopened=unopened if move.name == "approve" else [],
        )


def may_view_record(request):
    """Return whether the user may view the application, the consents and the answers."""
    return may_view(request, Application, Consent, Lead, Owner, Document)


def _lost(bound, offered):
    """Return the refused move of `bound` if no longer offered, so that typed text is kept."""
    if bound is None or bound.step in {move.name for move in offered}:
        return []
    if bound.step not in STEPS or STEPS[bound.step].part != "decision":
        return []
    label = bound.step.replace("_", " ").capitalize()
    return [steps.Move(bound.step, label)] if bound.form.visible_fields() else []


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
    """Return the notes with the names of their writers."""
    notes = list(application.notes.select_related("by"))
    for note in notes:
        note.writer = name_of(note.by)
    return notes


def _open_proposal(application, current):
    found = application.proposals.filter(status=ProposalStatus.OPEN).select_related("proposed_by")
    proposal = found.first()
    if proposal is None:
        return None
    return {
        "proposal": proposal,
        "by": name_of(proposal.proposed_by),
        "reasons": [DenialReason(code).label for code in proposal.reason_codes],
        "digest": proposal.evidence_digest[:DIGITS],
        "is_void": proposal.evidence_digest not in evidence.compute_digests(application),
        "second_person_reasons": proposals.second_person_reasons(
            application, ProposalKind(proposal.kind), current
        ),
    }
