"""The third step: the owners of the business and its control person.

Source: 31 CFR 1010.230(d): every owner of 25 percent or more, and one person with significant
responsibility to control or manage.
"""

from collections.abc import Collection
from decimal import Decimal
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.functional import cached_property

from onboarding.flow.form_pages import (
    CANCEL,
    UNFINISHED,
    AnyForm,
    DraftPage,
    PersonFormPage,
    as_data,
    page_url,
    save_form,
)
from onboarding.flow.forms.control import ControlForm
from onboarding.flow.forms.people import OwnerForm
from onboarding.flow.holdings import branches, list_totals
from onboarding.flow.members import list_members, name_of
from onboarding.flow.pages import go_to
from onboarding.flow.proving import ProvingPage
from onboarding.flow.shares import shares_beside
from onboarding.models import Owner
from onboarding.queries.leads import LeadFile
from onboarding.queries.steps import Step
from onboarding.services.access import sessions
from onboarding.services.leads import drafts
from onboarding.services.leads.confirmed_answers import OTHERS, shares_of
from onboarding.services.leads.drafts import NotYourPart
from onboarding.services.leads.form_drafts import Draft, discard, find_waiting_holder, owner_page
from onboarding.validators import UNSTORABLE


class OwnerCodeMissing(Exception):
    """No mailed code was entered in a partner's frame, so an owner's own part cannot be changed."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        super().__init__(f"no code was entered in the session, for {owner}")


class OwnersPage(ProvingPage):
    """A page of the step about owners; for owners of other applications it answers 404."""

    step = Step.OWNERS
    of_code: Owner  # whose part the code is asked for

    @property
    def code_url(self) -> str:
        return self.owner_url("prove", self.of_code)

    def require_code(self, owner: Owner) -> None:
        """Require a mailed code in a partner's frame before a change of an owner's own part.

        Raises: OwnerCodeMissing.
        """
        session = self.journey.session
        if owner.has_own_part and session and sessions.lacks_code(session):
            raise OwnerCodeMissing(owner)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **kwargs)
        except NotYourPart:  # the owner was invited meanwhile, or the part was taken over
            return self.back()
        except OwnerCodeMissing as exc:
            self.of_code = exc.owner
            return self.ask_for_code()
        except Owner.DoesNotExist:
            owners_url = self.journey.url("owners")
            return self.refuse("no_owner", HTTPStatus.NOT_FOUND, owners_url=owners_url)

    def find(self, owner_id: UUID) -> Owner:
        """Return an owner of this application. Raises: LeadLocked, Owner.DoesNotExist."""
        self.require_editable()
        owners = self.journey.application.lead.owners.select_related("invitation")
        owner: Owner = owners.get(external_id=owner_id)
        return owner

    def owner_url(self, name: str, owner: Owner) -> str:
        """Return the path of a page about an owner."""
        return self.journey.url(name, owner_id=owner.external_id)

    def back(self) -> HttpResponse:
        """Redirect to the list of owners."""
        return go_to(self.journey.url("owners"))

    def show_list(self, request: HttpRequest, form: ControlForm, file: LeadFile) -> HttpResponse:
        """Show the owners, and ask for the control person."""
        lead = file.lead
        return self.show_step(
            request,
            "steps/owners",
            file=file,
            form=form,
            members=list_members(self.journey, file),
            shares=shares_beside(lead, file, own=lead.ownership_percent or Decimal(0)),
            limit=settings.OWNERS_MAX_PER_LEAD,
            add_url="" if is_full(file.owners) else self.journey.url("add_owner"),
            holdings=branches(file.holdings, self.journey),
            totals=list_totals(file.people, file.holdings),
            add_holder_url=self.journey.url("add_holder"),
            ask_url=self.journey.url("ask_owner"),
            control_url=self.journey.url("control"),
        )

    def show_form(self, request: HttpRequest, form: OwnerForm) -> HttpResponse:
        """Show the form of an owner, new or existing."""
        file, owner = self.journey.file(), form.person
        is_new = owner.pk is None
        return self.show_step(
            request,
            "steps/owner",
            file=file,
            form=form,
            shares=shares_beside(owner, file, own=form.share),
            is_new=is_new,
            name=name_of(owner),
            save_url=self.journey.url("add_owner") if is_new else self.owner_url("owner", owner),
            remove_url="" if is_new else self.owner_url("remove_owner", owner),
        )

    def save(self, form: OwnerForm, owner_id: UUID | None) -> bool:
        """Save the valid values of an owner, a new one if `owner_id` is None.

        Return whether all values were valid and without conflicts. Raises: as `drafts.save_owner`,
        except Invalid, which becomes errors of the form.
        """
        key = str(owner_id) if owner_id else None

        def save(form: OwnerForm) -> drafts.Saved:
            return drafts.save_owner(
                self.journey.application,
                key,
                form.values,
                seen=form.seen,
                at=timezone.now(),
                confirmed=form.confirmed,
            )

        return save_form(form, save)


class Owners(DraftPage, OwnersPage):
    """The list of owners, with their total share."""

    page_name = "owners"

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        file = self.journey.file()
        form = ControlForm(file, as_data(self.draft))
        if self.draft and self.draft.is_unsaved:
            form.errors.clear()
        return self.show_list(request, form, file)


class ControlPerson(Owners):
    """The choice of the control person, which ends the step."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.back()

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        file = self.journey.file()
        form = ControlForm(file, request.POST)
        if not form.is_valid():
            chosen = {name: request.POST.getlist(name) for name in form.fields}
            if is_unfinished := self.then in UNFINISHED:
                chosen = {name: chosen[name] for name in form.changed_data if any(chosen[name])}
            self.keep(Draft(chosen, is_unsaved=is_unfinished))
            return self.answer(self.journey.url("owners"))
        said = {OTHERS: shares_of(file)} if OTHERS in form.fields else {}
        drafts.choose_control_person(
            self.journey.application, form.owner_id, at=timezone.now(), confirmed=said
        )
        self.keep(Draft({}))
        step = self.step if self.then else self.journey.after(self.step)
        return self.answer(self.journey.url(step))


class OwnerFormPage(PersonFormPage, OwnersPage):
    """A page with the form of one owner."""

    @property
    def back_url(self) -> str:
        return self.journey.url("owners")

    def cancel(self) -> HttpResponse:
        """Discard the typed values, and redirect to the list of owners."""
        self.keep(Draft({}))
        return self.back()

    def finish(self, form: OwnerForm, *, is_whole: bool) -> HttpResponse:
        """Keep unsaved fields as the draft of the owner's page, or of this page for a new owner.

        Redirect to `next_url` if all was saved, unless a button asks for another page.
        """
        owner = form.person
        page = owner_page(owner.external_id) if owner.pk else self.page
        if page != self.page:
            self.keep(Draft({}))
        self.keep_rest(form, page)
        if owner.pk:
            self.remember_numbers(form)
        is_back = is_whole and not self.then
        return self.answer(self.next_url if is_back else page_url(self.journey, page))

    @property
    def next_url(self) -> str:
        """Return the page after a form that was saved."""
        return self.journey.url("owners")


class NewOwnerPage(OwnerFormPage):
    """A page with the form of a new owner."""

    @property
    def next_url(self) -> str:
        """Return the trust or company from whose page the person was added, else the list."""
        page = find_waiting_holder(self.journey.application, at=timezone.now())
        return page_url(self.journey, page) if page else super().next_url

    @property
    def is_full(self) -> bool:
        """Return whether no owner can be added."""
        return is_full(self.journey.application.lead.owners.all())

    @cached_property
    def named(self) -> Owner:
        """Return the stored owner with the posted name and email, or a new, unsaved owner."""
        lead, data = self.journey.application.lead, self.request.POST
        sent = {name: data.get(name, "").strip() for name in ("email", "first_name", "last_name")}
        sent["email"] = sent["email"].lower()
        is_named = sent["email"] and not any(map(UNSTORABLE.search, sent.values()))
        owners = lead.owners.select_related("invitation")
        known = owners.filter(**sent).first() if is_named else None
        return known or Owner(lead=lead)

    def keep_rest(self, form: AnyForm, page: str = "") -> None:
        """Keep the fields of a form that were not saved, in place of a stored owner's draft.

        The older draft of the owner's page has values that this form has replaced.
        """
        if self.named.pk:  # the page of a new owner has no draft yet
            discard(self.journey.application, page)
        super().keep_rest(form, page)


class AddOwner(NewOwnerPage):
    """The form of a new owner; sent twice, it still creates one owner."""

    page_name = "add_owner"

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        if self.is_full:
            return self.back()
        lead = self.journey.application.lead
        return self.show_form(request, self.restored(OwnerForm, Owner(lead=lead)))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        if self.then == CANCEL:
            return self.cancel()
        owner = self.named
        if owner.has_own_part:
            return go_to(self.owner_url("invitation", owner))
        form = self.bind(OwnerForm, owner)
        if owner.pk is None and self.is_full:
            return self.back()
        is_whole = self.save(form, owner.external_id if owner.pk else None)
        return self.finish(form, is_whole=is_whole)


class EditOwner(OwnerFormPage):
    """The form of one owner."""

    def page_of(self, **kwargs: Any) -> str:
        return owner_page(kwargs["owner_id"])

    def get(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        owner = self.find(owner_id)
        if owner.has_own_part:
            return go_to(self.owner_url("invitation", owner))
        return self.show_form(request, self.restored(OwnerForm, owner))

    def post(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        owner = self.find(owner_id)
        if owner.has_own_part:
            return go_to(self.owner_url("invitation", owner))
        form = self.bind(OwnerForm, owner)
        if self.then == CANCEL:
            return self.cancel()
        return self.finish(form, is_whole=self.save(form, owner_id))


class RemoveOwner(OwnersPage):
    """The confirmation and the removal of an owner."""

    @property
    def back_url(self) -> str:
        return self.journey.url("owners")

    def get(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        owner = self.find(owner_id)
        owners_url = self.journey.url("owners")
        return self.show_step(
            request, "steps/remove_owner", name=name_of(owner), owners_url=owners_url
        )

    def post(self, request: HttpRequest, owner_id: UUID) -> HttpResponse:
        self.require_editable()
        for owner in self.journey.application.lead.owners.filter(external_id=owner_id):
            self.require_code(owner)
        drafts.remove_owner(self.journey.application, str(owner_id), at=timezone.now())
        return self.back()


def is_full(owners: Collection[Owner]) -> bool:
    """Return whether the number of owners has reached its limit."""
    return len(owners) >= settings.OWNERS_MAX_PER_LEAD
