"""Figures of the home page: deposits, pending transactions and due work."""

from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone

from banking.admin.transactions import newest_pending
from banking.choices import CREDIT, AccountStatus
from banking.days import DAY
from banking.models import Account, Statement
from banking.money import usd_text
from foundation.backoffice.lists import MAX_ROWS
from foundation.backoffice.site import Figure, figures


@figures("The bank")
def accounts_and_deposits(request):
    """Return the figures of customers' open accounts and of their deposits.

    Deposits leave out credit accounts. Users who may not view accounts get no figure.
    """
    if not request.user.has_perm("banking.view_account"):
        return []
    accounts = Account.objects.of_customers().open()
    deposits = accounts.exclude(account_type__in=CREDIT).aggregate(sum=Sum("current_cents"))["sum"]
    url = f"{reverse('admin:banking_account_changelist')}?status__exact={AccountStatus.OPEN}"
    return [
        Figure("Open accounts", accounts, url),
        Figure("Total deposits", usd_text(deposits or 0), url),
    ]


@figures("The bank")
def pending_transactions(request):
    """Return a list with the figure of pending transactions, at most MAX_ROWS.

    The list is empty for users who may not view transactions.
    """
    if not request.user.has_perm("banking.view_transaction"):
        return []
    url = f"{reverse('admin:banking_transaction_changelist')}?status__exact=PENDING"
    return [Figure("Pending transactions", newest_pending(), url, most=MAX_ROWS)]


@figures("The bank")
def statements_of_last_month(request):
    """Return a list with the number of statements of last month (UTC), whenever they were made.

    The list is empty for users who may not view statements. The filter is year and month because
    they have an index; `created_at` has none.
    """
    if not request.user.has_perm("banking.view_statement"):
        return []
    last = timezone.now().replace(day=1) - DAY
    month = {"year": last.year, "month": last.month}
    url = reverse("admin:banking_statement_changelist", query=month)
    return [Figure(f"Statements of {last:%B %Y}", Statement.objects.filter(**month), url)]
