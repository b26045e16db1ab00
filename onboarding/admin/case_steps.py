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
from django.utils.html import format_html, format_html_join

from banking.errors import StepRefused
from foundation.backoffice.screens import FactsAdmin
from onboarding.admin import case_forms as forms
from onboarding.admin.case_answers import HEADLINE, add_answer
from onboarding.admin.case_escalation import AnswerForm, EscalateForm
from onboarding.admin.case_messages import MessageForm
from onboarding.admin.case_requests import RequestDocumentsForm
from onboarding.admin.case_ticks import TicksForm
from onboarding.admin.document_viewer import viewer_path
from onboarding.choices import ProposalKind
from onboarding.errors import Refused
from onboarding.models import Document
from onboarding.services.checks import staff_checks
from onboarding.services.documents import case_documents
from onboarding.services.privacy import reveals
from onboarding.services.reviews import assignments, cases, decisions, escalations, proposals
from onboarding.services.reviews import messages as case_messages

SHOWN_FOR = 15  # seconds that a personal number is shown
REFUSALS = (StepRefused, Refused, decisions.AccountStillOpen)
MOVED_ON = "This is no longer possible because the case has changed."
DECIDED = {
    ProposalKind.APPROVE: "The application is approved.",
    ProposalKind.APPROVE_TEMPORARILY: "The application is approved temporarily.",
    ProposalKind.DENY: "The application is denied.",
    ProposalKind.REOPEN: "The application is reopened.",
}
PROPOSED = "Proposed. A second person must confirm it."
NOT_TAKEN = "Nothing was changed. Look at the lines in red."
CLAIMED = "You have claimed the case."
UNPROCESSABLE, CONFLICT = 422, 409


@dataclass(frozen=True)
class Step:
    """A step of staff: its permission, form, service call and success message.

    `take` gets the application, the cleaned data, and the keywords `by` and `at`; a text that it
    returns is the message instead of `done`. `part` is the part of the page that has the message:
    the headline, which is always in view, or the id of a card. `key` names the fields whose values
    tell apart the forms of the step on one page.
    """

    permission: str
    form: type[forms.StepForm]
    take: Callable[..., Any]
    done: str = ""
    part: str = "decision"
    key: tuple[str, ...] = ()

    def key_of(self, data):
        """Return the key that tells a sent form from other forms of this step on the page."""
        return "-".join(data.get(name, "") for name in self.key)


@dataclass(frozen=True)
class BoundStep:
    """A refused form, which the page shows again with its errors."""

    step: str
    form: forms.StepForm
    key: str = ""


def _add_note(application, said, **by):
    """Add an internal note."""
    cases.add_note(application, said["text"], is_for_applicant=False, **by)


def _on_case(service):
    """Return a function for `Step.take` that passes application and form values to a service."""

    def take(application, said, **by):
        service(application, **said, **by)

    return take


def _on(field, service):
    """Return a function for `Step.take` that passes the row chosen in `field` to a service.

    The service also gets the other values of the form, but not the application.
    """

    def take(_application, said, **by):
        others = {name: value for name, value in said.items() if name != field}
        service(said[field], **others, **by)

    return take


def _decide(kind):
    def take(application, said, **by):
        proposal = proposals.decide(application, kind, **said, **by)
        return PROPOSED if proposal else DECIDED[kind]

    return take


REVIEW, DECIDE, CONFIRM = "review_application", "decide_application", "confirm_application"
STEPS = {
    "claim": Step(REVIEW, forms.StepForm, _on_case(cases.claim), CLAIMED, HEADLINE),
    "release": Step(
        REVIEW, forms.StepForm, _on_case(cases.release), "You have released the case.", HEADLINE
    ),
    "reassign": Step(
        REVIEW, forms.ReassignForm, _on_case(assignments.reassign), "The case was handed over."
    ),
    "escalate": Step(
        REVIEW,
        EscalateForm,
        _on_case(escalations.escalate),
        "The question was sent. The case stays assigned to you.",
    ),
    "answer": Step(
        REVIEW, AnswerForm, _on("escalation", escalations.answer), "The answer was saved."
    ),
    "approve": Step(DECIDE, forms.ApproveForm, _decide(ProposalKind.APPROVE)),
    "approve_temporarily": Step(
        DECIDE, forms.ApproveTemporarilyForm, _decide(ProposalKind.APPROVE_TEMPORARILY)
    ),
    "deny": Step(DECIDE, forms.DenyForm, _decide(ProposalKind.DENY)),
    "reopen": Step(DECIDE, forms.ApproveForm, _decide(ProposalKind.REOPEN)),
    "request_documents": Step(
        REVIEW,
        RequestDocumentsForm,
        _on_case(cases.request_documents),
        "The documents were asked for.",
    ),
    "request_identity": Step(
        REVIEW,
        forms.RequestIdentityForm,
        _on_case(cases.request_identity),
        "Proof of identity was asked for.",
    ),
    "verify_identities": Step(
        REVIEW,
        forms.StepForm,
        _on_case(cases.verify_identities),
        "The identities are marked as verified.",
    ),
    "rerun_checks": Step(
        REVIEW, forms.StepForm, _on_case(staff_checks.rerun), "The checks were run again.", "checks"
    ),
    "confirm": Step(
        CONFIRM,
        forms.ConfirmForm,
        _on("proposal", proposals.confirm),
        "The proposal is confirmed.",
    ),
    "refuse": Step(
        CONFIRM, forms.RefuseForm, _on("proposal", proposals.refuse), "The proposal is rejected."
    ),
    "withdraw": Step(
        DECIDE,
        forms.ProposalForm,
        _on("proposal", proposals.withdraw),
        "The proposal is withdrawn.",
    ),
    "note": Step(REVIEW, forms.NoteForm, _add_note, "The note was added.", "notes"),
    "message": Step(
        "message_applicant",
        MessageForm,
        _on_case(case_messages.send_message),
        "The message was sent.",
        "messages",
    ),
    "read_answer": Step(
        "message_applicant",
        forms.StepForm,
        _on_case(case_messages.mark_read),
        "The answer was marked as read.",
        "messages",
    ),
    "tick": Step(
        REVIEW,
        TicksForm,
        _on_case(staff_checks.tick_all),
        "Your answers were saved.",
        "checks",
    ),
    "accept_document": Step(
        REVIEW,
        forms.DocumentForm,
        _on("document", case_documents.accept),
        "The document was accepted.",
        "documents",
        ("document",),
    ),
    "reject_document": Step(
        REVIEW,
        forms.RejectDocumentForm,
        _on("document", case_documents.reject),
        "The document was rejected.",
        "documents",
        ("document",),
    ),
    "change_kind": Step(
        REVIEW,
        forms.ChangeKindForm,
        _on("document", case_documents.change_kind),
        "The type of the document was changed.",
        "documents",
        ("document",),
    ),
}
REVEAL = Step("reveal_number", forms.RevealForm, None, key=("field", "person"))


def _viewed(request, form):
    """Return the document whose viewer sent the form; None if the case page sent the form."""
    return form.cleaned_data.get("document") if "token" in request.POST else None


def _refusal_text(refusal, user):
    """Return a refusal as text, with the unread notes, or a link to the account to be closed."""
    if isinstance(refusal, cases.NotesUnread):
        texts = format_html_join("", "<br><q>{}</q>", [(note.text,) for note in refusal.notes])
        return format_html('{} <a href="#notes">Show the notes</a>{}', refusal, texts)
    if not isinstance(refusal, decisions.AccountStillOpen):
        return MOVED_ON if isinstance(refusal, Refused) else str(refusal)
    may_close = user.has_perm("banking.add_bankoperation")
    page, text = ("close", "Close it with payout") if may_close else ("change", "Show the account")
    url = reverse(f"admin:banking_account_{page}", args=[refusal.account.pk])
    return format_html('{} <a href="{}">{}</a>', refusal, url, text)


class CaseSteps(FactsAdmin):
    """Admin mixin that serves each step at its own POST-only URL."""

    def get_urls(self):
        steps = [self._page_of(name, STEPS[name], self.take_step) for name in STEPS]
        return [*steps, self._page_of("reveal", REVEAL, self.reveal), *super().get_urls()]

    def show_case(self, request, application, *, bound=None, revealed=None, status=200):
        """Return the case page; CasePage implements this method."""
        raise NotImplementedError

    def may_take(self, request, step):
        """Return whether the user has the permission of a step."""
        return request.user.has_perm(f"{self.opts.app_label}.{step.permission}")

    def take_step(self, request, application, name, step):
        """Take a step, and redirect to the case or the document viewer, which sent the form.

        A form that is not valid (422) or a step that is refused (409) shows the sent form there
        again.
        """
        form = step.form(request.POST, application=application, name=name)
        bound = BoundStep(name, form, step.key_of(request.POST))
        if not form.is_valid():
            add_answer(request, NOT_TAKEN, step.part, messages.WARNING)
            return self._refuse(request, application, bound, UNPROCESSABLE)
        try:
            said = step.take(application, form.cleaned_data, by=request.user, at=timezone.now())
        except REFUSALS as exc:
            add_answer(request, _refusal_text(exc, request.user), step.part, messages.WARNING)
            fresh = self.get_queryset(request).get(pk=application.pk)
            return self._refuse(request, fresh, bound, CONFLICT)
        add_answer(request, said or step.done, step.part)
        if document := _viewed(request, form):
            token = request.POST["token"]
            return redirect(viewer_path(document, token, is_pane="pane" in request.POST))
        anchor = "" if step.part == HEADLINE else f"#{step.part}"
        return redirect(self.case_url(application) + anchor)

    def _refuse(self, request, application, bound, status):
        """Show a refused form again, in the document viewer or the case page that sent it."""
        if document := _viewed(request, bound.form):
            viewer: Any = self.admin_site.get_model_admin(Document)
            return viewer.view(request, document, refused=bound.form, status=status)
        return self.show_case(request, application, bound=bound, status=status)

    def reveal(self, request, application, name, step):
        """Show a personal number for SHOWN_FOR seconds; the service records the reason."""
        form = step.form(request.POST, application=application, name=name)
        bound = BoundStep(name, form, step.key_of(request.POST))
        if not form.is_valid():
            return self.show_case(request, application, bound=bound, status=UNPROCESSABLE)
        said = form.cleaned_data
        try:
            number = reveals.reveal(application, **said, by=request.user, at=timezone.now())
        except StepRefused as exc:
            form.add_error("reason", str(exc))
            return self.show_case(request, application, bound=bound, status=CONFLICT)
        revealed = {"key": bound.key, "value": number, "seconds": SHOWN_FOR}
        response = self.show_case(request, application, revealed=revealed)
        response["Refresh"] = f"{SHOWN_FOR}; url={self.case_url(application)}#number-{bound.key}"
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
