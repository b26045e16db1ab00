"""The home page: how much the bank keeps, and what is under way."""

from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone

from banking.back_office import Figure, figures
from banking.choices import CREDIT, AccountStatus
from banking.models import Account, Statement, Transaction
from banking.money import usd_text


@figures("The bank")
def accounts_and_deposits(request):
    """Return how many accounts there are and what is on them, for those who may view them."""
    if not request.user.has_perm("banking.view_account"):
        return []
    accounts = Account.objects.of_customers().open()
    deposits = accounts.exclude(account_type__in=CREDIT).aggregate(sum=Sum("current_cents"))["sum"]
    url = f"{reverse('admin:banking_account_changelist')}?status__exact={AccountStatus.OPEN}"
    return [
        Figure("Open accounts", f"{accounts.count():,}", url),
        Figure("Deposits in all", usd_text(deposits or 0), url),
    ]


@figures("The bank")
def pending_transactions(request):
    """Return how many transactions are pending, for those who may view them."""
    if not request.user.has_perm("banking.view_transaction"):
        return []
    url = f"{reverse('admin:banking_transaction_changelist')}?status__exact=PENDING"
    return [Figure("Pending transactions", f"{Transaction.objects.pending().count():,}", url)]


@figures("The bank")
def statements_of_the_month(request):
    """Return how many statements were made this month, for those who may view them."""
    if not request.user.has_perm("banking.view_statement"):
        return []
    first = timezone.now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    count = Statement.objects.filter(created_at__gte=first).count()
    url = reverse("admin:banking_statement_changelist", query={"created_at__gte": first})
    return [Figure("Statements made this month", f"{count:,}", url)]
