"""Accounts, at the bank and at other institutions. Balances are the ledger's and never sent."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from django.db import transaction
from django.db.models import QuerySet
from pydantic import Field, StringConstraints

from banking.choices import AccountStatus, AccountType, ConnectionStatus, LinkedAccountType
from banking.feed import references
from banking.feed.faults import FaultCode, Refused, refused
from banking.feed.plain import PlainKind
from banking.feed.registry import Kind, Work, register
from banking.feed.schemas import (
    BusinessId,
    Data,
    Date,
    Last4,
    NotNegativeCents,
    Percent,
    Text,
    Timestamp,
    checked,
)
from banking.models import Account, Business, LinkedAccount, TaxBucket
from banking.numbers import validate_account_number
from banking.services import accounts
from banking.services.balances import AccountClosed
from banking.signals import status_began
from foundation.privacy.masks import mask

FIXED = {  # fields that an account keeps, and the columns that hold them
    "business": "business_id",
    "accountType": "account_type",
    "accountNumber": "account_number",
    "openedAt": "opened_at",
}
AccountNumber = Annotated[str, checked(validate_account_number)]


class TaxSettingsPart(Data):
    """The settings by which a business sets taxes aside."""

    is_active: bool = True
    is_auto_save_enabled: bool = False
    auto_set_aside_percent: Percent = Decimal(0)
    estimated_tax_rate_percent: Percent = Decimal(0)


class AccountData(Data):
    """An account of a business; business, type, number and opening never change."""

    business: BusinessId
    account_type: AccountType
    name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    account_number: AccountNumber | None = Field(
        default=None, description="Twelve digits, the last by Luhn; one is drawn if none is sent."
    )
    status: AccountStatus = AccountStatus.OPEN
    credit_limit_cents: NotNegativeCents | None = None
    end_date: Date | None = None
    opened_at: Timestamp
    closed_at: Timestamp | None = None
    tax_settings: TaxSettingsPart | None = Field(default=None, description="Of a tax bucket only.")


class LinkedAccountData(Data):
    """An account of a business at another institution."""

    business: BusinessId
    institution_name: Text
    account_name: Text
    last4: Last4
    account_type: LinkedAccountType
    connection_status: ConnectionStatus
    last_synced_at: Timestamp | None = None


class AccountKind(Kind[AccountData]):
    """Accounts, opened and closed by the functions of `banking.services.accounts`.

    To remove an account closes it; an account with a balance or pending transactions is refused.
    """

    name, schema, model = "accounts", AccountData, Account
    shows = ("svc_get_account_summary", "svc_get_tax_bucket", "svc_search_transactions")

    def rows(self) -> "QuerySet[Account]":
        """Return the accounts of customers; the bank's own accounts are never named by a line."""
        return Account.objects.filter(business__isnull=False)

    def save(self, works: Sequence[Work[AccountData]], *, at: datetime) -> None:
        for work in works:
            try:
                with transaction.atomic():  # a refused line keeps none of its changes
                    self._save(work, at=at)
            except Refused as exc:
                work.faults += exc.faults
            except (accounts.AccountExists, accounts.AccountInUse, AccountClosed) as exc:
                work.refuse(REASONS[type(exc)])

    def remove(self, row: Account, *, at: datetime) -> None:
        try:
            self._close(row, closed_at=at, at=at)
        except AccountClosed:
            return
        except accounts.AccountInUse:
            reason = REASONS[accounts.AccountInUse]
            raise refused(FaultCode.NOT_REMOVABLE, reason=reason) from None

    def represent(self, row: Account) -> dict[str, Any]:
        settings = TaxBucket.objects.filter(account=row).first()
        business = references.external_ids_of("businesses", [row.business_id])
        return {
            "business": business.get(row.business_id or 0),
            "accountType": row.account_type,
            "name": row.name,
            "accountNumber": mask(row.account_number),
            "status": row.status,
            "creditLimitCents": row.credit_limit_cents,
            "endDate": row.end_date,
            "openedAt": row.opened_at,
            "closedAt": row.closed_at,
            "frozenAt": row.frozen_at,
            "taxSettings": settings
            and {
                "isActive": settings.is_active,
                "isAutoSaveEnabled": settings.is_auto_save_enabled,
                "autoSetAsidePercent": settings.auto_set_aside_percent,
                "estimatedTaxRatePercent": settings.estimated_tax_rate_percent,
            },
        }

    def _save(self, work: Work[AccountData], *, at: datetime) -> None:
        data = work.data
        if work.row is None:
            work.row = self._open(work)
        else:
            self._refuse_other(work)
        row: Account = work.row
        row.name, row.end_date = data.name, data.end_date
        row.credit_limit_cents = data.credit_limit_cents
        row.save(update_fields=["name", "end_date", "credit_limit_cents"])
        if data.tax_settings:
            self._set_taxes_aside(row, data.tax_settings)
        if data.status == AccountStatus.CLOSED and row.is_open:
            work.row = self._close(row, closed_at=_closing(data), at=at)
        elif data.status == AccountStatus.OPEN and not row.is_open:
            raise refused(FaultCode.VALUE_REFUSED, "data", "status", reason=STAYS_CLOSED)

    def _close(self, row: Account, *, closed_at: datetime, at: datetime) -> Account:
        closed = accounts.close_account(row, at=closed_at)
        status_began.send(Account, rows=[closed], at=at)
        return closed

    def _open(self, work: Work[AccountData]) -> Account:
        data = work.data
        if data.account_type.is_of_the_bank:
            raise refused(FaultCode.VALUE_REFUSED, "data", "accountType", reason=THE_BANKS)
        if data.account_type.is_credit != (data.credit_limit_cents is not None):
            raise refused(FaultCode.VALUE_REFUSED, "data", "creditLimitCents", reason=LIMIT)
        return accounts.open_account(
            Business.objects.get(pk=work.target("businesses", data.business) or 0),
            data.account_type,
            at=data.opened_at,
            name=data.name,
            credit_limit_cents=data.credit_limit_cents,
            account_number=data.account_number,
            external_id=work.line.id,
        )

    def _refuse_other(self, work: Work[AccountData]) -> None:
        """Refuse another value of a field that an account keeps. Raises: Refused."""
        sent = {
            "business": work.target("businesses", work.data.business),
            "accountType": work.data.account_type.value,
            "accountNumber": work.data.account_number or work.row.account_number,
            "openedAt": work.data.opened_at,
        }
        for field, column in FIXED.items():
            if sent[field] != getattr(work.row, column):
                raise refused(FaultCode.VALUE_REFUSED, "data", field, reason=FIXED_VALUE)

    def _set_taxes_aside(self, row: Account, sent: TaxSettingsPart) -> None:
        if row.account_type != AccountType.TAX_BUCKET:
            raise refused(FaultCode.VALUE_REFUSED, "data", "taxSettings", reason=NO_TAX_BUCKET)
        TaxBucket.objects.filter(account=row).update(**sent.model_dump())


FIXED_VALUE = "An account keeps this value; open another account instead."
THE_BANKS = "Accounts of this type are the bank's own."
LIMIT = "A credit account has a limit, other accounts have none."
NO_TAX_BUCKET = "Only a tax bucket has these settings."
STAYS_CLOSED = "A closed account stays closed."
REASONS = {
    accounts.AccountExists: "The business has an open account of this type.",
    accounts.AccountInUse: "The account has a balance or pending transactions.",
    AccountClosed: "The account is closed.",
}


def _closing(data: AccountData) -> datetime:
    if data.closed_at is None:
        raise refused(FaultCode.FIELD_MISSING, "data", "closedAt")
    return data.closed_at


register(AccountKind())
register(
    PlainKind(
        "linked-accounts",
        LinkedAccountData,
        LinkedAccount,
        shows=["svc_list_linked_external_accounts"],
    )
)
