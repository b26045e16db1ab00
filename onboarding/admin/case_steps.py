"""Case steps: each parses a form, calls one service and redirects to the case page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils import timezone

from foundation.backoffice.screens import FactsAdmin
from onboarding.admin import case_forms as forms
from onboarding.choices import CheckCode, CheckResult, LlcFileType, ProposalKind
from onboarding.errors import Refused
from onboarding.services.checks import screenings
from onboarding.services.documents import case_documents
from onboarding.services.privacy import reveals
from onboarding.services.reviews import cases, decisions, proposals
from onboarding.services.reviews.cases import StepRefused

SHOWN_FOR = 15  # seconds that a personal number is shown
REFUSALS = (
    StepRefused,
    Refused,
    decisions.AccountStillOpen,
    screenings.CaseNotOpen,
    screenings.NotForStaff,
)
MOVED_ON = "That cannot be done any more: the case has moved on meanwhile."
DECIDED = "Decided: {}."
PROPOSED = "Proposed. A second person must confirm it."
UNPROCESSABLE, CONFLICT = 422, 409


@dataclass(frozen=True)
class Step:
    """A step of staff: its permission, form, service call and success message.

    `take` gets the application, the cleaned data, and the keywords `by` and `at`; a text that it
    returns is the message instead of `done`. `part` is the anchor of the step's part of the page.
    """

    permission: str
    form: type[forms.StepForm]
    take: Callable[..., Any]
    done: str = ""
    part: str = "decision"
    key: tuple[str, ...] = ()

    def key_of(self, data):
        """Return the key of a sent form among the forms of this step on the page."""
        return "-".join(data.get(name, "") for name in self.key)


@dataclass(frozen=True)
class SentStep:
    """A refused form, which the page shows again with its errors."""

    step: str
    form: forms.StepForm
    key: str = ""


@dataclass(frozen=True)
class RevealedNumber:
    """A personal number in clear, shown once. `key` is the key of its Number."""

    key: str
    value: str
    seconds: int = SHOWN_FOR


def _simple(service):
    """Return a `take` that calls a service with the application only."""
    return lambda application, _said, **by: service(application, **by) and None


def _decide(kind):
    def take(application, said, **by):
        proposal = proposals.decide(application, kind, **_decision(said), **by)
        return PROPOSED if proposal else DECIDED.format(kind.label.lower())

    return take


def _decision(said):
    """Return the keyword arguments of `proposals.decide` from cleaned data."""
    names = ["reasons", "internal_text", "applicant_text", "expiration_date"]
    return {name: said[name] for name in names if name in said}


def _confirm(_application, said, **by):
    proposals.confirm(said["proposal"], **by)


def _refuse(_application, said, **by):
    proposals.refuse(said["proposal"], note=said["note"], **by)


def _withdraw(_application, said, **by):
    proposals.withdraw(said["proposal"], **by)


def _reassign(application, said, **by):
    cases.reassign(application, to=said["to"], **by)


def _request_documents(application, said, **by):
    wanted = {kind: said[kind.value] for kind in LlcFileType if said.get(kind.value)}
    cases.request_documents(application, wanted, **by)


def _request_identity(application, said, **by):
    cases.request_identity(application, said["people"], **by)


def _review_hits(application, said, **by):
    cases.review_hits(application, said["note"], **by)


def _note(application, said, **by):
    cases.add_note(application, said["text"], is_for_applicant=said["is_for_applicant"], **by)


def _tick(application, said, **by):
    code, result = CheckCode(said["code"]), CheckResult(said["result"])
    screenings.tick(application, code, result, note=said["note"], **by)


def _accept(_application, said, **by):
    case_documents.accept(said["document"], **by)


def _reject(_application, said, **by):
    case_documents.reject(said["document"], reason=said["reason"], **by)


def _change_kind(_application, said, **by):
    case_documents.change_kind(said["document"], LlcFileType(said["kind"]), **by)


REVIEW, DECIDE, CONFIRM = "review_application", "decide_application", "confirm_application"
STEPS = {
    "claim": Step(REVIEW, forms.StepForm, _simple(cases.claim), "The case is yours."),
    "release": Step(REVIEW, forms.StepForm, _simple(cases.release), "The case is free."),
    "reassign": Step("reassign_application", forms.ReassignForm, _reassign, "Handed on."),
    "approve": Step(DECIDE, forms.ApproveForm, _decide(ProposalKind.APPROVE)),
    "approve_temporarily": Step(
        DECIDE, forms.ApproveTemporarilyForm, _decide(ProposalKind.APPROVE_TEMPORARILY)
    ),
    "deny": Step(DECIDE, forms.DenyForm, _decide(ProposalKind.DENY)),
    "reopen": Step(DECIDE, forms.ApproveForm, _decide(ProposalKind.REOPEN)),
    "request_documents": Step(
        REVIEW, forms.RequestDocumentsForm, _request_documents, "The documents are asked for."
    ),
    "request_identity": Step(
        REVIEW, forms.RequestIdentityForm, _request_identity, "They are asked to prove it."
    ),
    "verify_identities": Step(
        REVIEW, forms.StepForm, _simple(cases.verify_identities), "The identities are verified."
    ),
    "rerun_checks": Step(
        REVIEW, forms.StepForm, _simple(screenings.rerun), "The checks were run again.", "checks"
    ),
    "review_hits": Step(
        REVIEW, forms.ReviewHitsForm, _review_hits, "Noted. The customer left the queue."
    ),
    "confirm": Step(CONFIRM, forms.ProposalForm, _confirm, "Confirmed."),
    "refuse": Step(CONFIRM, forms.RefuseForm, _refuse, "Refused."),
    "withdraw": Step(DECIDE, forms.ProposalForm, _withdraw, "The proposal is withdrawn."),
    "note": Step(REVIEW, forms.NoteForm, _note, "Noted.", "notes"),
    "tick": Step(REVIEW, forms.TickForm, _tick, "Ticked.", "checks", ("code",)),
    "accept_document": Step(
        REVIEW, forms.DocumentForm, _accept, "Accepted.", "documents", ("document",)
    ),
    "reject_document": Step(
        REVIEW, forms.RejectDocumentForm, _reject, "Rejected.", "documents", ("document",)
    ),
    "change_kind": Step(
        REVIEW, forms.ChangeKindForm, _change_kind, "Changed.", "documents", ("document",)
    ),
}
REVEAL = Step("reveal_number", forms.RevealForm, None, key=("field", "person"))


class CaseSteps(FactsAdmin):
    """Admin mixin that serves each step at its own POST-only URL."""

    def get_urls(self):
        steps = [self._page_of(name, STEPS[name], self.take_step) for name in STEPS]
        return [*steps, self._page_of("reveal", REVEAL, self.reveal), *super().get_urls()]

    def show_case(self, request, application, *, trial=None, revealed=None, status=200):
        """Return the case page; CasePage implements this method."""
        raise NotImplementedError

    def may_take(self, request, step):
        """Return whether the user has the permission of a step."""
        return request.user.has_perm(f"{self.opts.app_label}.{step.permission}")

    def take_step(self, request, application, name, step):
        """Take a step, or show the case with the sent form if the step is refused."""
        form = step.form(request.POST, application=application, name=name)
        trial = SentStep(name, form, step.key_of(request.POST))
        if not form.is_valid():
            return self.show_case(request, application, trial=trial, status=UNPROCESSABLE)
        try:
            said = step.take(application, form.cleaned_data, by=request.user, at=timezone.now())
        except REFUSALS as exc:
            self.message_user(request, _fault(exc), messages.WARNING)
            fresh = self.get_queryset(request).get(pk=application.pk)
            return self.show_case(request, fresh, trial=trial, status=CONFLICT)
        self.message_user(request, said or step.done, messages.SUCCESS)
        return redirect(f"{self.case_url(application)}#{step.part}")

    def reveal(self, request, application, name, step):
        """Show a personal number for SHOWN_FOR seconds; the service records the reason."""
        form = step.form(request.POST, application=application, name=name)
        trial = SentStep(name, form, step.key_of(request.POST))
        if not form.is_valid():
            return self.show_case(request, application, trial=trial, status=UNPROCESSABLE)
        said, now = form.cleaned_data, timezone.now()
        try:
            number = reveals.reveal(
                application,
                said["person"],
                said["field"],
                reason=said["reason"],
                by=request.user,
                at=now,
            )
        except StepRefused as exc:
            form.add_error("reason", str(exc))
            return self.show_case(request, application, trial=trial, status=CONFLICT)
        response = self.show_case(request, application, revealed=RevealedNumber(trial.key, number))
        response["Refresh"] = f"{SHOWN_FOR}; url={self.case_url(application)}#number-{trial.key}"
        return response

    def case_url(self, application):
        """Return the URL of the case page."""
        return reverse("admin:onboarding_application_change", args=[application.pk])

    def _page_of(self, name, step, method):
        def view(request, pk):
            if not (self.may_take(request, step) and self.has_view_permission(request)):
                raise PermissionDenied
            if request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            return method(request, get_object_or_404(self.get_queryset(request), pk=pk), name, step)

        return path(
            f"<int:pk>/{name}/",
            self.admin_site.admin_view(view),
            name=f"onboarding_application_{name}",
        )


def _fault(exc):
    return MOVED_ON if isinstance(exc, Refused) else str(exc)
