"""The pages on which the applicant asks an owner for their own part, reminds them or takes over."""

from abc import ABC, abstractmethod
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language

from onboarding.errors import Invalid
from onboarding.flow import codes
from onboarding.flow.form_pages import CANCEL, page_url, posted, save_form
from onboarding.flow.forms.people import InvitationForm
from onboarding.flow.members import name_of
from onboarding.flow.pages import go_to
from onboarding.flow.proving import PURPOSE
from onboarding.flow.shares import shares_beside
from onboarding.flow.steps.owners import NewOwnerPage, OwnerCodeMissing, OwnerFormPage, OwnersPage
from onboarding.models import Application, Owner
from onboarding.services.access import access_codes
from onboarding.services.leads import drafts, owner_invitations
from onboarding.services.leads.form_drafts import Draft, invitation_page
from onboarding.services.leads.owner_invitations import TooManyMails

NOTED = "noted"  # parameter: what a POST did, or could not do
REMINDED, TOO_MANY, NO_ADDRESS = "reminded", "too-many", "no-address"


class InvitationFormPage(OwnerFormPage):
    """A page with the applicant's form about an owner who fills in their own part."""

    def show_invitation(self, request: HttpRequest, owner: Owner) -> HttpResponse:
        """Show the form, and the standing of the owner's part."""
        form, file = self.restored(InvitationForm, owner), self.journey.file()
        names = ("remind", "ask_again", "take_over", "remove_owner")
        return self.show_step(
            request,
            "steps/invitation",
            file=file,
            form=form,
            owner=owner,
            name=name_of(owner),
            shares=shares_beside(owner, file, own=form.share),
            noted=request.GET.get(NOTED, ""),
            urls={name: self.owner_url(name, owner) for name in names} if owner.pk else {},
        )

    def submit(self, owner: Owner) -> HttpResponse:
        """Save the form and, unless another button was pressed, ask the owner by mail."""
        if self.then == CANCEL:
            return self.cancel()
        form = self.bind(InvitationForm, owner)
        try:
            is_done = save_form(form, self._save) and not self.then and self._ask(form)
        except TooManyMails:
            self.keep(Draft(posted(self.request.POST), seen=form.seen, is_unsaved=True))
            return go_to(f"{self.request.path}?{NOTED}={TOO_MANY}")
        saved = form.person
        page = invitation_page(saved.external_id) if saved.pk else self.page
        if page != self.page:
            self.keep(Draft({}))
        self.keep_rest(form, page)
        return go_to(self.next_url) if is_done else self.answer(page_url(self.journey, page))

    def _save(self, form: InvitationForm) -> drafts.Saved:
        """Save the valid values; an invited owner with another email is mailed another link.

        Raises: Invalid, LeadLocked, NotYourPart, Owner.DoesNotExist, TooManyMails.
        """
        application, owner, now = self.journey.application, form.person, timezone.now()
        if owner.pk is None:
            return drafts.save_owner(application, None, form.values, seen=form.seen, at=now)
        return owner_invitations.save_contact(
            application, str(owner.external_id), form.values, seen=form.seen, at=now
        )

    def _ask(self, form: InvitationForm) -> bool:
        """Ask the owner of a saved form by mail, unless asked before.

        Return False if the owner has no email of their own, which becomes an error of the form.
        Raises: TooManyMails.
        """
        owner = form.person
        if owner.has_own_part:
            return True
        try:
            invite(self.journey.application, owner.external_id)
        except Invalid as exc:
            form.add_faults(exc.faults)
            return False
        return True


class AskOwner(NewOwnerPage, InvitationFormPage):
    """The form of a new owner who is asked by mail; sent twice, it still creates one owner."""

    page_name = "ask_owner"

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        if self.is_full:
            return self.back()
        return self.show_invitation(request, Owner(lead=self.journey.application.lead))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        owner = self.named
        if owner.has_own_part:
            return go_to(self.owner_url("invitation", owner))
        return self.back() if owner.pk is None and self.is_full else self.submit(owner)


class Invitation(InvitationFormPage):
    """The page about the part of one owner: before, during and after the owner fills it in."""

    def page_of(self, **kwargs: Any) -> str:
        return invitation_page(kwargs["owner_id"])

    def get(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        return self.show_invitation(request, self.find(owner_id))

    def post(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        owner = self.find(owner_id)
        email = request.POST.get("email", owner.email).strip().lower()
        if owner.is_waited_for and email != owner.email and self.then != CANCEL:
            self._require_code_for_address(owner)
        return self.submit(owner)

    def _require_code_for_address(self, owner: Owner) -> None:
        """Keep the form, and ask for a code before another mailbox gets the link.

        Raises: OwnerCodeMissing.
        """
        try:
            self.require_code(owner)
        except OwnerCodeMissing:
            seen = self.request.POST.get("seen_marks", "")
            self.keep(Draft(posted(self.request.POST), seen=seen, is_unsaved=True))
            raise


class InvitationStep(OwnersPage, ABC):
    """A form with one button, about the part of one owner."""

    def get(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        return go_to(self.owner_url("invitation", self.find(owner_id)))

    def post(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        owner = self.find(owner_id)
        url = self.owner_url("invitation", owner)
        try:
            noted = self.take(owner)
        except TooManyMails:
            noted = TOO_MANY
        except Invalid:
            noted = NO_ADDRESS
        return go_to(f"{url}?{NOTED}={noted}" if noted else url)

    @abstractmethod
    def take(self, owner: Owner) -> str:
        """Carry out the action of the button; return the value of NOTED, empty without a message.

        Raises: TooManyMails, OwnerCodeMissing; Invalid without an email of the owner's own.
        """


class Remind(InvitationStep):
    """Mail the link again to an owner who has not completed their part."""

    def take(self, owner: Owner) -> str:
        now = timezone.now()
        owner_invitations.remind(self.journey.application, str(owner.external_id), at=now)
        return REMINDED


class AskAgain(InvitationStep):
    """Ask an owner by mail to fill in their part again, after they have completed it."""

    def take(self, owner: Owner) -> str:
        self.require_code(owner)
        invite(self.journey.application, owner.external_id)
        return ""


class TakeOver(OwnersPage):
    """The page that asks whether the applicant takes over an owner's part; a POST takes it over."""

    @property
    def back_url(self) -> str:
        return self.journey.url("invitation", **self.kwargs)

    def get(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        owner = self.find(owner_id)
        if not owner.has_own_part:
            return go_to(self.owner_url("owner", owner))
        return self.show_step(request, "steps/take_over", name=name_of(owner), owner=owner)

    def post(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        owner = self.find(owner_id)
        self.require_code(owner)
        now = timezone.now()
        owner_invitations.take_over(self.journey.application, str(owner_id), at=now)
        return go_to(self.owner_url("owner", owner))


class Prove(OwnersPage):
    """Ask the applicant for a mailed code before a change of an owner's own part.

    After the code, the applicant presses the button of that change again.
    """

    @property
    def back_url(self) -> str:
        return self.journey.url("invitation", **self.kwargs)

    def get(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        owner, application = self.find(owner_id), self.journey.application
        url = self.owner_url("invitation", owner)
        refusal = codes.refuse_further(request, application, PURPOSE, back_url=url)
        return refusal or self.show_step(
            request,
            "steps/prove",
            form=codes.refused_form(request, application, PURPOSE),
            name=name_of(owner),
            invitation_url=url,
            sandbox_code=access_codes.SANDBOX_CODE if settings.IS_SANDBOX else "",
        )

    def post(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        self.of_code = self.find(owner_id)
        if "again" in request.POST:
            return self.send_code()
        return self.check_code(request) or go_to(self.owner_url("invitation", self.of_code))


def invite(application: Application, owner_id: UUID) -> None:
    """Ask an owner by mail, in the language of the page until the owner chooses another.

    Raises: Invalid without an email of the owner's own, TooManyMails, LeadLocked,
    Owner.DoesNotExist.
    """
    language = get_language() or settings.LANGUAGE_CODE
    owner_invitations.invite(application, str(owner_id), language=language, at=timezone.now())
