"""The referrals of an accountant: businesses that are invited to the bank, and their status."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from banking.choices import ReferralStatus
from banking.models import Referral
from banking.queries import referrals
from banking.services import clients
from banking.transitions import InvalidTransition
from foundation.throttling import rate_limits
from mcp_server.pages.base_page import CustomerView, page_request, too_many
from mcp_server.pages.clients import find_accountant
from mcp_server.services import referral_mails

PAGE_SIZE = 20
STATUSES = {  # texts for accountants, and the kinds of their badges
    ReferralStatus.INVITED: (gettext_lazy("Invited"), "warning"),
    ReferralStatus.REGISTERED: (gettext_lazy("Application started"), "plain"),
    ReferralStatus.COMPLETED: (gettext_lazy("Account open"), "good"),
    ReferralStatus.EXPIRED: (gettext_lazy("Invitation ended"), "plain"),
}


class ReferralForm(forms.Form):
    """Form for a business to invite, and its owner."""

    business_name = forms.CharField(label=gettext_lazy("Business name"), max_length=255)
    owner_first_name = forms.CharField(label=gettext_lazy("Owner's first name"), max_length=100)
    owner_last_name = forms.CharField(label=gettext_lazy("Owner's last name"), max_length=100)
    email = forms.EmailField(label=gettext_lazy("Owner's email address"), max_length=254)


class ReferralList(CustomerView):
    """List the referrals of the accountant, and make a new one."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return _show_list(request, ReferralForm(label_suffix=""))

    def post(self, request: HttpRequest) -> HttpResponse:
        accountant, form = find_accountant(request), ReferralForm(request.POST, label_suffix="")
        if not form.is_valid():
            return _show_list(request, form)
        try:
            referral = clients.invite_referral(accountant, at=timezone.now(), **form.cleaned_data)
        except clients.AlreadyInvited:
            form.add_error("email", _("You have already invited this address."))
            return _show_list(request, form)
        text = _("The invitation is ready. Send it by email, or copy the link.")
        messages.success(request, text)
        return redirect("referral", referral.external_id)


class ReferralPage(CustomerView):
    """Show one referral, and its link while the invitation is open."""

    def get(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        return render(request, "mcp_server/referral.html", _facts(request, external_id))


class MailReferral(CustomerView):
    """Mail the invitation to the owner of the referred business."""

    def post(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        facts = _facts(request, external_id)
        accountant, referral = facts["accountant"], facts["referral"]
        try:
            referral_mails.send(accountant, referral, at=page_request(request).at)
        except referrals.NotInvited:
            messages.info(request, _("This invitation is no longer open."))
        except rate_limits.RateLimited as exc:
            seconds = exc.usage.reset_seconds
            facts["minutes"] = -(-seconds // 60)
            return too_many(request, "mcp_server/referral.html", facts, seconds=seconds)
        else:
            text = _("We are sending the invitation to %(email)s.")
            messages.success(request, text % {"email": referral.email})
        return redirect("referral", external_id)


class WithdrawReferral(CustomerView):
    """Ask whether an invitation shall be withdrawn, and withdraw it."""

    def get(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        return render(request, "mcp_server/withdraw_referral.html", _facts(request, external_id))

    def post(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        referral = _facts(request, external_id)["referral"]
        try:
            clients.withdraw_referral(referral, at=timezone.now())
        except InvalidTransition:  # the business registered, or it was withdrawn in another window
            messages.info(request, _("This invitation is no longer open."))
        else:
            text = _("The invitation of %(business)s is withdrawn.")
            messages.success(request, text % {"business": referral.business_name})
        return redirect("referrals")


def _show_list(request: HttpRequest, form: ReferralForm) -> HttpResponse:
    now = timezone.now()
    sent = request.GET.get("page", "")
    page = int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 10 else 0
    found = referrals.search_referrals(find_accountant(request), page=page, page_size=PAGE_SIZE)
    rows = [(referral, *STATUSES[referral.status_at(now)]) for referral in found.items]
    return render(request, "mcp_server/referrals.html", {"form": form, "page": found, "rows": rows})


def _facts(request: HttpRequest, external_id: UUID) -> dict[str, Any]:
    """Return the template context of a referral's pages. Raises: Http404."""
    accountant, now = find_accountant(request), timezone.now()
    try:
        referral = referrals.get_referral(accountant, external_id)
    except Referral.DoesNotExist:
        raise Http404 from None
    status, badge = STATUSES[referral.status_at(now)]
    facts = {"accountant": accountant, "referral": referral, "status": status, "badge": badge}
    try:
        invitation = referrals.get_invitation(accountant, external_id, at=now)
    except referrals.NotInvited:
        return facts
    return {**facts, "invitation": invitation}
