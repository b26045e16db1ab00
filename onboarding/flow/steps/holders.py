"""The pages about trusts and companies that hold a share of the business."""

from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone

from onboarding.flow.form_pages import (
    CANCEL,
    PERSON,
    UNFINISHED,
    DraftPage,
    as_data,
    page_url,
    posted,
)
from onboarding.flow.forms.holders import REFUSED, HolderForm
from onboarding.flow.pages import go_to
from onboarding.flow.steps.owners import OwnersPage, is_full
from onboarding.models import Holder, Owner
from onboarding.services.leads import holders
from onboarding.services.leads.form_drafts import Draft, holder_page


class HolderPage(DraftPage, OwnersPage):
    """A page with the form of one holder, new or stored."""

    @property
    def back_url(self) -> str:
        return self.journey.url("owners")

    def find_holder(self, holder_id: UUID) -> Holder:
        """Return a holder of this application's lead.

        Raises: LeadLocked; Owner.DoesNotExist if there is none, which the page answers with 404.
        """
        self.require_editable()
        lead = self.journey.application.lead
        found = Holder.objects.filter(lead=lead, external_id=holder_id).select_related("parent")
        holder = found.first()
        if holder is None:
            raise Owner.DoesNotExist
        return holder

    def show_holder(self, request: HttpRequest, holder: Holder | None) -> HttpResponse:
        """Show the form, as it was typed if it was not saved."""
        form = self._form(holder, as_data(self.draft))  # the field of the EIN shows no number
        if self.draft and self.draft.is_unsaved:
            form.errors.clear()
        elif self.draft and form.is_valid():
            form.refuse(self.draft.version)
        url = self.journey.url
        remove = url("remove_holder", holder_id=holder.external_id) if holder else ""
        return self.show_step(
            request,
            "steps/holder",
            form=form,
            holder=holder,
            remove_url=remove,
            can_add=not is_full(self.journey.application.lead.owners.all()),
        )

    def submit(self, holder: Holder | None) -> HttpResponse:
        """Save the form if all of it is right; otherwise keep it, and show it again."""
        if self.then == CANCEL:
            self.keep(Draft({}))
            return self.back()
        form = self._form(holder, self._with_number(self.request.POST))
        typed = posted(cast("QueryDict", form.data))
        if self.then == PERSON:
            self.keep(Draft(typed, version=PERSON, is_unsaved=True))
            return go_to(self.journey.url("add_owner"))
        if self.then in dict(settings.LANGUAGES):
            self.keep(self._in_another_language(form))
            return self.answer(page_url(self.journey, self.page))
        refusal = self._save(form, holder) if form.is_valid() else ""
        if form.is_valid() and not refusal:
            self.keep(Draft({}))
            return self.answer(self.journey.url("owners"))
        self.keep(Draft(typed, version=refusal, is_unsaved=self.then in UNFINISHED))
        return self.answer(page_url(self.journey, self.page))

    def _in_another_language(self, form: HolderForm) -> Draft:
        """Return the posted values as a draft, for the form in another language.

        The draft keeps the errors that the form showed. It is empty if nothing was changed.
        """
        if not form.has_changed():
            return Draft({})
        draft = self.draft or Draft({}, is_unsaved=True)
        return replace(draft, values=posted(cast("QueryDict", form.data)))

    def _with_number(self, data: QueryDict) -> QueryDict:
        """Return the posted form with the number of the draft, which the page did not show."""
        kept = self.draft.values.get("ein") if self.draft else None
        if kept and not data.get("ein"):
            data = data.copy()
            data.setlist("ein", kept)
        return data

    def _form(self, holder: Holder | None, data: QueryDict | None) -> HolderForm:
        file = self.journey.file()
        others = Holder.objects.filter(lead=file.lead).order_by("pk")
        others = others.exclude(pk=holder.pk) if holder else others
        return HolderForm(holder, file.people, others, data)

    def _save(self, form: HolderForm, holder: Holder | None) -> str:
        """Save the form; return the reason of a refusal, a key of REFUSALS, or an empty text.

        Raises: LeadLocked; Owner.DoesNotExist if the holder, its parent or a person was removed.
        """
        holder_id = holder.external_id if holder else None
        application, now = self.journey.application, timezone.now()
        try:
            holders.save_holder(application, holder_id, form.details, at=now)
        except REFUSED as exc:
            return type(exc).__name__
        except Holder.DoesNotExist:  # removed in another window
            raise Owner.DoesNotExist from None
        return ""


class AddHolder(HolderPage):
    """The form of a new holder."""

    page_name = "add_holder"

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        return self.show_holder(request, None)

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        return self.submit(None)


class EditHolder(HolderPage):
    """The form of one holder."""

    def page_of(self, **kwargs: Any) -> str:
        return holder_page(kwargs["holder_id"])

    def get(self, request: HttpRequest, holder_id: UUID) -> HttpResponse:
        return self.show_holder(request, self.find_holder(holder_id))

    def post(self, request: HttpRequest, holder_id: UUID) -> HttpResponse:
        return self.submit(self.find_holder(holder_id))


class RemoveHolder(HolderPage):
    """The confirmation and the removal of a holder."""

    form_id = ""

    def page_of(self, **kwargs: Any) -> str:
        return holder_page(kwargs["holder_id"])

    def get(self, request: HttpRequest, holder_id: UUID) -> HttpResponse:
        holder = self.find_holder(holder_id)
        owners_url = self.journey.url("owners")
        return self.show_step(
            request, "steps/remove_owner", name=holder.name, owners_url=owners_url, draft=None
        )

    def post(self, request: HttpRequest, holder_id: UUID) -> HttpResponse:
        self.require_editable()
        self.keep(Draft({}))
        holders.remove_holder(self.journey.application, holder_id, at=timezone.now())
        return self.back()
