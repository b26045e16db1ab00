"""The pages on which the owners of a customer ask for changes, and see what became of them.

They are pages behind the sign-in of the account, beside those of `mcp_server`.
"""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.generic import View

from banking.choices import BusinessOwnerRole
from banking.models import BusinessOwner
from banking.queries import profiles
from onboarding.flow.change_texts import describe
from onboarding.flow.steps.owners import is_full
from onboarding.models import Customer, CustomerCase, Lead, Owner
from onboarding.queries.customer_changes import get_customer, list_changes_by_owners
from onboarding.queries.leads import list_owners
from onboarding.services.customers import owner_changes
from onboarding.services.customers.case_claims import CaseClosed
from onboarding.services.customers.owner_changes import NoFullAccess
from onboarding.services.leads.overviews import share_of

LISTED = 20  # requests that the page shows
Person = Lead | Owner


@method_decorator(never_cache, name="dispatch")
class ChangesPage(LoginRequiredMixin, View):
    """A page for signed-in owners with full access to a business that is a customer.

    Staff and owners without full access get 403, all others 404.
    """

    owner: BusinessOwner
    customer: Customer

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            self.keep_late()
            return self.handle_no_permission()
        if request.user.is_staff:
            status = HTTPStatus.FORBIDDEN
            return render(request, "mcp_server/not_for_staff.html", status=status)
        try:
            self.owner = profiles.get_owner(request.user)
        except BusinessOwner.DoesNotExist:
            raise Http404 from None
        if not self.owner.has_full_access:
            return self.refuse("no_full_access", HTTPStatus.FORBIDDEN)
        try:
            self.customer = get_customer(self.owner.business)
        except Customer.DoesNotExist:
            return self.refuse("no_customer", HTTPStatus.NOT_FOUND)
        return super().dispatch(request, *args, **kwargs)

    def refuse(self, reason: str, status: HTTPStatus) -> HttpResponse:
        """Show why there is no page for this user."""
        template = "onboarding/flow/changes/refused.html"
        return render(self.request, template, {"reason": reason}, status=status)

    def keep_late(self) -> None:
        """Keep a form that was posted after the session had ended; for subclasses with a form."""

    @cached_property
    def owners(self) -> list[Owner]:
        """Return the owners of the business without the applicant."""
        return [one for one in list_owners(self.customer.lead) if one.email != self.lead.email]

    @property
    def lead(self) -> Lead:
        """Return the lead, who is the owner that opened the account."""
        return self.customer.lead

    @property
    def asker(self) -> Person | None:
        """Return the lead or the owner who is the signed-in user; None if no listed owner is."""
        if self.owner.role == BusinessOwnerRole.PRIMARY_OWNER:
            return self.lead
        return next((one for one in self.owners if one.email == self.owner.email), None)


class Changes(ChangesPage):
    """The list of what can be changed, and of the owners' requests with their states."""

    def get(self, request: HttpRequest) -> HttpResponse:
        people: list[Person] = [self.lead, *self.owners]
        cases = list_changes_by_owners(self.customer).select_related(None)[:LISTED]
        context = {
            "business": self.owner.business,
            "is_closed": self.customer.is_closed,
            "people": [self._row(person) for person in people],
            "can_add": not is_full(self.owners),
            "requests": [describe(case, people, reader=self.owner) for case in cases],
        }
        return render(request, "onboarding/flow/changes/list.html", context)

    def _row(self, person: Person) -> dict[str, Any]:
        """Return the template variables of a person: name, share, `is_reader`, and `url` to change.

        `url` is empty for an owner without an email, who cannot be named in a request.
        """
        url = reverse("flow:change_applicant")
        if isinstance(person, Owner):
            url = reverse("flow:change_owner", args=[person.external_id]) if person.email else ""
        return {
            "name": person.full_name or person.email,
            "share": share_of(person),
            "is_reader": person == self.asker,
            "url": url,
        }


class WithdrawChange(ChangesPage):
    """Withdraw a change that the signed-in owner has requested, before its decision."""

    def post(self, request: HttpRequest, case_id: UUID) -> HttpResponse:
        found = list_changes_by_owners(self.customer).select_related("customer")
        try:
            owner_changes.withdraw(found.get(external_id=case_id), self.owner, at=timezone.now())
        except CustomerCase.DoesNotExist:
            raise Http404 from None
        except NoFullAccess:
            raise PermissionDenied from None
        except CaseClosed:  # decided, or withdrawn in another window, just now
            messages.info(request, _("This request was decided or withdrawn already."))
        else:
            messages.success(request, _("You have withdrawn the request."))
        return redirect("flow:changes")
