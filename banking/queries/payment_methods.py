"""Payment methods of a bill: fee, limits, arrival, and whether each is available now."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from django.db.models import Sum

from banking.calendar import add_business_days, sending_date
from banking.choices import AccountType, BillStatus, IneligibleReason, PaymentMethod
from banking.models import Account, Bill, BillPayment, Business, PaymentRule
from banking.models.bills import COUNTED
from banking.queries import accounts, bills
from banking.reach import EVERYTHING, Reach

Spent = dict[tuple[str, date], int]  # cents, by method and the day that they leave


@dataclass(frozen=True)
class MethodOffer:
    """A payment method with its fee, its limits and, if it is not available, the reason.

    `daily_remaining_cents` is the part of the method's daily limit that is left on `sending_date`.
    """

    method: PaymentMethod
    ineligible_reason: IneligibleReason | None
    fee_cents: int
    per_payment_limit_cents: int
    daily_remaining_cents: int
    sending_date: date
    estimated_arrival_date: date

    @property
    def is_eligible(self) -> bool:
        """Return whether the bill can be paid by this method."""
        return self.ineligible_reason is None


@dataclass(frozen=True)
class Situation:
    """The facts that decide about each method: bill, amount, available money, payee details."""

    bill: Bill
    amount_cents: int
    available_cents: int
    payees: dict[str, bool]  # by method, whether the details are active
    spent: Spent

    def offer(self, rule: PaymentRule, *, at: datetime) -> MethodOffer:
        """Return the offer of a payment method."""
        leaves = sending_date(at, cutoff_hour=rule.cutoff_hour)
        left = max(0, rule.daily_limit_cents - self.spent.get((rule.method, leaves), 0))
        return MethodOffer(
            method=PaymentMethod(rule.method),
            ineligible_reason=self.obstacle(rule, left),
            fee_cents=rule.fee_cents,
            per_payment_limit_cents=rule.per_payment_limit_cents,
            daily_remaining_cents=left,
            sending_date=leaves,
            estimated_arrival_date=add_business_days(leaves, rule.business_days),
        )

    def obstacle(self, rule: PaymentRule, left_cents: int) -> IneligibleReason | None:
        """Return the first reason why the bill cannot be paid by a method, or None if it can.

        `left_cents` is what is left of the daily limit of the method.
        """
        amount, bill = self.amount_cents, self.bill
        checks = {
            IneligibleReason.BILL_NOT_PENDING: bill.status != BillStatus.PENDING,
            IneligibleReason.NOTHING_REMAINING: amount <= 0,
            IneligibleReason.OTHER_CURRENCY: bill.currency_code != "USD",
            IneligibleReason.NO_PAYEE_DETAILS: rule.method not in self.payees,
            IneligibleReason.PAYEE_INACTIVE: not self.payees.get(rule.method),
            IneligibleReason.OVER_PAYMENT_LIMIT: amount > rule.per_payment_limit_cents,
            IneligibleReason.OVER_DAILY_LIMIT: amount > left_cents,
            IneligibleReason.INSUFFICIENT_FUNDS: amount + rule.fee_cents > self.available_cents,
        }
        return next((reason for reason, holds in checks.items() if holds), None)


def list_payment_methods(
    business: Business, bill_external_id: str | UUID, reach: Reach = EVERYTHING, *, at: datetime
) -> list[MethodOffer]:
    """Return an offer of each payment method for the remaining amount of a bill, eligible or not.

    The order is that of PaymentMethod; a method without a rule is left out.
    Raises: Bill.DoesNotExist.
    """
    bill = bills.get_bill(business, bill_external_id, reach)
    payer = get_payer(business)
    rules = {rule.method: rule for rule in PaymentRule.objects.all()}
    situation = Situation(
        bill=bill,
        amount_cents=bills.remaining_cents(bill, bill.payments.all()),
        available_cents=payer.available_cents if payer and not payer.is_frozen else 0,
        payees=dict(bill.supplier.payees.values_list("method", "is_active")),
        spent=_spent(business, since=at),
    )
    return [situation.offer(rules[method], at=at) for method in PaymentMethod if method in rules]


def get_payer(business: Business) -> Account | None:
    """Return the open checking account that pays bills: the primary account, else the oldest."""
    checking = accounts.list_accounts(business).filter(account_type=AccountType.MAIN_ACCOUNT)
    return checking.open().first()


def _spent(business: Business, *, since: datetime) -> Spent:
    """Return cents by method and day that payments of all bills take from the daily limits.

    The days are that of `since` and later ones.
    """
    today = since.astimezone(UTC).date()
    payments = BillPayment.objects.filter(
        bill__business=business, status__in=COUNTED, scheduled_date__gte=today
    )
    sums = payments.values_list("method", "scheduled_date").annotate(sum=Sum("amount_cents"))
    return {(method, day): cents for method, day, cents in sums.order_by()}
