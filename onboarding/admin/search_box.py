"""The search box of the header: one search for everything, sent by POST and never in a URL."""

from django.urls import path
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from banking.models import Account, Accountant, Business, BusinessOwner, Card, Firm, Supplier, User
from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import FactsAdmin, badge, link_to
from onboarding.admin.people import lead_name
from onboarding.admin.statuses import status_badge
from onboarding.models import Application, Document, Lead, Owner, Partner
from onboarding.queries.everything import SHOWN, Asked
from onboarding.services.privacy.number_searches import search_and_record

SEARCHED = [
    Application,
    Document,
    Lead,
    Owner,
    Partner,
    Account,
    Accountant,
    Business,
    BusinessOwner,
]
SEARCHED += [Card, Firm, Supplier, User]
SEARCH_NUMBERS = "onboarding.search_number"
LONGEST = 200  # characters


class SearchBox(FactsAdmin):
    """The page with the results of the search box."""

    def get_urls(self):
        guard = require_http_methods(["GET", "HEAD", "POST"])
        view = self.admin_site.admin_view(guard(self.search))
        return [path("search/", view, name="onboarding_application_search"), *super().get_urls()]

    @method_decorator(sensitive_post_parameters("text"))
    def search(self, request):
        """Show the results of the posted text, in groups that the user may view.

        A search for a personal number is recorded as a staff event, if the user may make it.
        """
        text = request.POST.get("text", "").replace("\0", "").strip()[:LONGEST]
        may_search_numbers = request.user.has_perm(SEARCH_NUMBERS)
        viewable = [model for model in SEARCHED if may_view(request, model)]
        asked = Asked(text, may_search_numbers=may_search_numbers, viewable=viewable)
        groups = search_and_record(asked, by=request.user, at=timezone.now()) if text else []
        return self.show_page(
            request,
            "onboarding/search",
            title="Search",
            text=text,
            groups=[(group, [_line(one) for one in group.found]) for group in groups],
            most=SHOWN,
            is_refused_number=asked.is_personal_number and not may_search_numbers,
        )


def _line(found):
    """Return a result as a line: its link, the text below, its badge and the reason."""
    link, below, mark = DISPLAYS[type(found.row)](found.row)
    return {"link": link, "below": below, "mark": mark, "reason": found.reason}


def _case(application):
    lead = application.lead
    below = " · ".join(filter(None, [lead.full_name, lead.email, lead.partner.name]))
    return link_to(application, lead_name(lead)), below, status_badge(application.status)


def _owner(owner):
    below = f"Owner at {lead_name(owner.lead)}"
    return link_to(owner, owner.full_name or owner.email), below, ""


def _business_owner(owner):
    name = f"{owner.first_name} {owner.last_name}"
    below = f"{owner.email} · customer, {owner.business.legal_name}"
    return link_to(owner.business, name), below, ""  # owners have no page of their own


def _user(user):
    name = user.get_full_name() or user.email
    if accountant := getattr(user, "accountant", None):
        return link_to(accountant, name), f"Accountant at {accountant.firm.name}", ""
    return link_to(user, name), f"{user.email} · {user.get_user_type_display()}", ""


def _business(business):
    return link_to(business, business.legal_name), business.email, ""


def _firm(firm):
    return link_to(firm, firm.name), "Firm of accountants", ""


def _account(account):
    mark = badge(account.status, account.get_status_display())
    name = f"{account.name} ••••{account.account_number[-4:]}"
    return link_to(account, name), account.business.legal_name, mark


def _card(card):
    mark = badge(card.status, card.get_status_display())
    below = f"{card.cardholder_name} · {card.business.legal_name}"
    return link_to(card, f"{card.get_product_type_display()} ••••{card.last4}"), below, mark


def _supplier(supplier):
    return link_to(supplier, supplier.name), f"Supplier of {supplier.business.legal_name}", ""


def _partner(partner):
    return link_to(partner, partner.name), "Partner", ""


DISPLAYS = {
    Application: _case,
    Owner: _owner,
    BusinessOwner: _business_owner,
    User: _user,
    Business: _business,
    Firm: _firm,
    Account: _account,
    Card: _card,
    Supplier: _supplier,
    Partner: _partner,
}
