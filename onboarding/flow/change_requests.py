"""The forms by which the owners of a customer ask for changes.

What was typed is kept as the applicant's forms keep it, even if the session ends first.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from banking.models import User
from onboarding.errors import Invalid
from onboarding.flow.changes import ChangesPage
from onboarding.flow.form_pages import CANCEL, THEN, posted
from onboarding.flow.forms.changes import (
    ApplicantDetailsForm,
    BusinessAddressForm,
    NewOwnerForm,
    OwnerDetailsForm,
    ReasonForm,
)
from onboarding.models import Application, Owner
from onboarding.services.customers import owner_changes
from onboarding.services.customers.changes import MAX_OPEN, ChangeLimitReached, ChangeTooEarly
from onboarding.services.customers.owner_changes import NoFullAccess
from onboarding.services.leads import form_drafts
from onboarding.services.leads.form_drafts import Draft

KEPT_FOR = "kept_for"  # the signed name of the draft of a form, for a form posted too late
SALT = "vestibule.flow.changes"
NOT_CHANGED = "NOT_CHANGED"  # version of a draft: the form has the stored values
TOO_MANY = "TOO_MANY"  # version of a draft: MAX_OPEN requests are undecided


class ChangePage(ChangesPage):
    """A page with a form by which an owner asks for a change of the customer's data."""

    template: str

    @abstractmethod
    def name_of(self, **kwargs: Any) -> str:
        """Return the part of the draft's name that tells this page from the user's other pages."""

    @abstractmethod
    def bind(self, draft: Draft | None = None, **data: Any) -> ReasonForm:
        """Return the form: with the draft, with the posted `data`, or with the stored values."""

    def facts(self) -> Mapping[str, Any]:
        """Return the template variables that only this page has."""
        return {}

    @cached_property
    def page(self) -> str:
        """Return the name of the draft for this request."""
        user = cast("User", self.request.user)
        return form_drafts.change_page(user.pk, self.name_of(**self.kwargs))

    @cached_property
    def draft(self) -> Draft | None:
        """Return the fields that were typed into the form and not accepted; None without any."""
        return form_drafts.find(self.customer.application, self.page, at=timezone.now())

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if self.customer.is_closed:
            return redirect("flow:changes")
        form, draft = self.bind(self.draft), self.draft
        if draft and (refusal := _refusal(draft.version)):
            form.add_error(None, refusal)
        kept_for = signing.dumps([self.customer.application_id, self.page], salt=SALT)
        context = {
            **self.facts(),
            "form": form,
            "kept_for": kept_for,
            "is_unsaved": draft is not None and draft.is_unsaved,
        }
        return render(request, f"onboarding/flow/changes/{self.template}.html", context)

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        application = self.customer.application
        if request.POST.get(THEN) == CANCEL:
            form_drafts.discard(application, self.page)
            return redirect("flow:changes")
        form = self.bind(data=request.POST)
        if self.draft:
            form.use_numbers(self.draft)
        try:
            refusal = self._send(form) if form.is_valid() else ""
        except ChangeTooEarly:  # the account was closed just now: the list says so
            return redirect("flow:changes")
        if form.is_valid() and not refusal:
            form_drafts.discard(application, self.page)
            messages.success(request, _("We have received your request, and will check it."))
            return redirect("flow:changes")
        draft = Draft(_typed(form.data), faults=form.faults, version=refusal)
        form_drafts.keep(application, self.page, draft, at=timezone.now())
        return redirect(request.path)

    def _send(self, form: ReasonForm) -> str:
        """Request the change. Return NOT_CHANGED or TOO_MANY if refused, else an empty text.

        Faults between values become errors of the form. Raises: ChangeTooEarly; PermissionDenied if
        the owner has lost full access.
        """
        details = form.details
        if not details:
            return NOT_CHANGED
        try:
            owner_changes.request_change(
                self.owner,
                details,
                text=form.reason_text,
                language=get_language() or "en",
                at=timezone.now(),
            )
        except Invalid as exc:
            form.add_faults(exc.faults)
        except ChangeLimitReached:
            return TOO_MANY
        except NoFullAccess:
            raise PermissionDenied from None
        return ""

    def keep_late(self) -> None:
        """Keep a form that was posted after the session had ended, for the user of its page.

        It becomes a draft of the application and the user that the signed field KEPT_FOR names. A
        cancelled form is not kept.
        """
        if self.request.POST.get(THEN) == CANCEL:
            return
        try:
            application_id, page = signing.loads(
                self.request.POST.get(KEPT_FOR, ""),
                salt=SALT,
                max_age=settings.FORM_DRAFT_LIFETIME,
            )
        except signing.BadSignature:
            return
        application = Application.objects.filter(pk=application_id).first()
        if application and page.endswith(f":{self.name_of(**self.kwargs)}"):
            draft = Draft(_typed(self.request.POST), is_unsaved=True)
            form_drafts.keep(application, page, draft, at=timezone.now())


class ChangeAddress(ChangePage):
    """The page about the addresses of the business."""

    template = "address"

    def name_of(self, **kwargs: Any) -> str:
        return "address"

    def bind(self, draft: Draft | None = None, **data: Any) -> ReasonForm:
        if draft:
            return BusinessAddressForm.restored(self.lead, draft)
        return BusinessAddressForm(self.lead, **data)


class ChangeApplicant(ChangePage):
    """The page about the owner who opened the account."""

    template = "person"

    def name_of(self, **kwargs: Any) -> str:
        return "applicant"

    def bind(self, draft: Draft | None = None, **data: Any) -> ReasonForm:
        if draft:
            return ApplicantDetailsForm.restored(self.lead, draft)
        return ApplicantDetailsForm(self.lead, **data)

    def facts(self) -> Mapping[str, Any]:
        return {"name": self.lead.full_name or self.lead.email}


class ChangeOwner(ChangePage):
    """The page about an owner other than the one who opened the account."""

    template = "person"

    def name_of(self, **kwargs: Any) -> str:
        return str(kwargs["owner_id"])

    @cached_property
    def person(self) -> Owner:
        """Return the owner of the path. Raises: Http404, for owners of other businesses, too."""
        wanted: UUID = self.kwargs["owner_id"]
        named = (one for one in self.owners if one.email and one.external_id == wanted)
        person = next(named, None)
        if person is None:
            raise Http404
        return person

    def bind(self, draft: Draft | None = None, **data: Any) -> ReasonForm:
        if draft:
            return OwnerDetailsForm.restored(self.person, draft)
        return OwnerDetailsForm(self.person, **data)

    def facts(self) -> Mapping[str, Any]:
        return {"name": self.person.full_name or self.person.email}


class AddOwner(ChangePage):
    """The page on which an owner asks that a new owner is added."""

    template = "new_owner"

    def name_of(self, **kwargs: Any) -> str:
        return "new"

    def bind(self, draft: Draft | None = None, **data: Any) -> ReasonForm:
        person = Owner(lead=self.lead)
        if draft:
            return NewOwnerForm.restored(person, draft, asker=self.asker)
        return NewOwnerForm(person, asker=self.asker, **data)


def _typed(data: Any) -> dict[str, list[str]]:
    return {name: values for name, values in posted(data).items() if name != KEPT_FOR}


def _refusal(version: str) -> str:
    """Return the message for the version of a draft, NOT_CHANGED or TOO_MANY; empty for others."""
    if version == NOT_CHANGED:
        return _("You have not changed anything.")
    if version == TOO_MANY:
        text = _(
            "%(limit)d requests are still being checked. Wait for a decision, or withdraw one."
        )
        return text % {"limit": MAX_OPEN}
    return ""
