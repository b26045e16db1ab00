"""The closed sets of the bank, spelled as the contract spells them."""

from django.db import models


class UserType(models.TextChoices):
    """The type of a user."""

    BUSINESS = "BUSINESS", "Business user"
    ACCOUNTANT = "ACCOUNTANT", "Accountant"
    STAFF = "STAFF", "Bank staff"


class BusinessType(models.TextChoices):
    """The legal form of a business. `SSN` is a sole proprietor who uses no EIN."""

    DBA = "DBA", "Doing business as"
    LLC = "LLC", "Single-member LLC"
    MMLLC = "MMLLC", "Multi-member LLC"
    GENERAL_PARTNERSHIP = "GENERAL_PARTNERSHIP", "General partnership"
    LLP = "LLP", "Limited liability partnership"
    S_CORP = "S_CORP", "S corporation"
    SSN = "SSN", "Sole proprietor"
    C_CORP = "C_CORP", "C corporation"


class FilingStatus(models.TextChoices):
    """How the owner of a business files the income tax."""

    SINGLE = "SINGLE", "Single"
    JOINT = "JOINT", "Married, filing jointly"
    HEAD_OF_HOUSEHOLD = "HEAD_OF_HOUSEHOLD", "Head of household"


class BusinessOwnerRole(models.TextChoices):
    """Who an owner is to the bank."""

    PRIMARY_OWNER = "PRIMARY_OWNER", "Primary owner"
    UBO = "UBO", "Beneficial owner"


class AddressKind(models.TextChoices):
    """The purpose of an address of a business."""

    REGISTERED = "REGISTERED", "Registered"
    OPERATIONAL = "OPERATIONAL", "Operational"
    MAILING = "MAILING", "Mailing"


class SubscriptionStatus(models.TextChoices):
    """Where a business's plan stands."""

    TRIAL = "TRIAL", "Trial"
    ACTIVE = "ACTIVE", "Active"
    PAST_DUE = "PAST_DUE", "Past due"
    CANCELED = "CANCELED", "Canceled"


class DunsStatus(models.TextChoices):
    """Where the registration for a DUNS number stands.

    A reported number was given by the business or its partner; nobody has confirmed it.
    """

    PENDING = "PENDING", "Applied for"
    REPORTED = "REPORTED", "Reported, not confirmed"
    REGISTERED = "REGISTERED", "Registered"


class AccessStatus(models.TextChoices):
    """Where an accountant's access to a client stands."""

    PENDING_TERMS = "PENDING_TERMS", "Waiting for terms of service"
    CONNECTED = "CONNECTED", "Connected"
    REVOKED = "REVOKED", "Revoked"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this one."""
        return {
            "PENDING_TERMS": {"CONNECTED", "REVOKED"},
            "CONNECTED": {"REVOKED"},
            "REVOKED": {"PENDING_TERMS"},
        }[self]


class AccessLevel(models.TextChoices):
    """The data of a client that an accountant may read."""

    FULL = "FULL", "Everything"
    READ_ONLY = "READ_ONLY", "Everything, nothing to be changed"
    STATEMENTS_ONLY = "STATEMENTS_ONLY", "Statements only"


class ReferralStatus(models.TextChoices):
    """How far a business came that an accountant referred."""

    INVITED = "INVITED", "Invited"
    REGISTERED = "REGISTERED", "Registered"
    COMPLETED = "COMPLETED", "Account opened"
    EXPIRED = "EXPIRED", "Invitation expired"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this one."""
        return {
            "INVITED": {"REGISTERED", "COMPLETED", "EXPIRED"},
            "REGISTERED": {"COMPLETED"},
            "EXPIRED": {"INVITED"},
        }.get(self, set())


class AccountType(models.TextChoices):
    """The type of an account. `CLEARING` and `FEE_INCOME` are the bank's own."""

    MAIN_ACCOUNT = "MAIN_ACCOUNT", "Business checking"
    TAX_BUCKET = "TAX_BUCKET", "Tax bucket"
    SAVING_BUCKET = "SAVING_BUCKET", "Saving bucket"
    EMERGENCY_BUCKET = "EMERGENCY_BUCKET", "Emergency bucket"
    LOC = "LOC", "Line of credit"
    SECURED_CARD_COLLATERAL = "SECURED_CARD_COLLATERAL", "Secured card collateral"
    SECURED_CARD = "SECURED_CARD", "Secured card"
    CLEARING = "CLEARING", "Clearing"
    FEE_INCOME = "FEE_INCOME", "Fee income"

    @property
    def is_of_the_bank(self) -> bool:
        """Say whether accounts of this type are the bank's own."""
        return self in OF_THE_BANK

    @property
    def is_credit(self) -> bool:
        """Return whether the balance of such an account is owed, down to its limit."""
        return self in CREDIT


OF_THE_BANK = frozenset({AccountType.CLEARING, AccountType.FEE_INCOME})
CREDIT = frozenset({AccountType.LOC, AccountType.SECURED_CARD})
STATEMENT_ACCOUNT_TYPES = (
    AccountType.MAIN_ACCOUNT,
    AccountType.TAX_BUCKET,
    AccountType.SAVING_BUCKET,
    AccountType.EMERGENCY_BUCKET,
    AccountType.LOC,
)


class AccountStatus(models.TextChoices):
    """Whether an account takes postings."""

    OPEN = "OPEN", "Open"
    CLOSED = "CLOSED", "Closed"


class BucketType(models.TextChoices):
    """The types of accounts beside the primary one, as a summary names them."""

    TAX = "TAX", "Tax bucket"
    SECURED_CARD_COLLATERAL = "SECURED_CARD_COLLATERAL", "Secured card collateral"


class TransactionType(models.TextChoices):
    """The type of a transaction. The specification spells cash deposit `CACHE_DEPOSIT`."""

    PURCHASE = "PURCHASE", "Purchase"
    FUND_TRANSFER = "FUND_TRANSFER", "Transfer"
    REFUND = "REFUND", "Refund"
    CHECK_DEPOSIT = "CHECK_DEPOSIT", "Check deposit"
    FEE = "FEE", "Fee"
    ATM = "ATM", "ATM"
    CACHE_DEPOSIT = "CACHE_DEPOSIT", "Cash deposit"


class TransactionStatus(models.TextChoices):
    """Where a transaction stands: a pending one is a hold, a posted one is in the ledger."""

    PENDING = "PENDING", "Pending"
    POSTED = "POSTED", "Posted"
    RELEASED = "RELEASED", "Released"


class CategoryType(models.TextChoices):
    """Which side of the books a category is on."""

    EXPENSE = "EXPENSE", "Expense"
    INCOME = "INCOME", "Income"


class Direction(models.TextChoices):
    """Whether money comes into an account or leaves it."""

    CREDIT = "CREDIT", "In"
    DEBIT = "DEBIT", "Out"


class Granularity(models.TextChoices):
    """How long the periods of a total or of a series are."""

    DAY = "DAY", "Day"
    MONTH = "MONTH", "Month"
    QUARTER = "QUARTER", "Quarter"
    YEAR = "YEAR", "Year"


class ChartType(models.TextChoices):
    """The figure of a financial summary."""

    INCOME = "INCOME", "Income"
    EXPENSE = "EXPENSE", "Expense"
    PROFIT = "PROFIT", "Profit"


class InvoiceStatus(models.TextChoices):
    """Where an invoice stands; `OVERDUE` is `SENT` past its due date and never stored."""

    DRAFT = "DRAFT", "Draft"
    SENT = "SENT", "Sent"
    PAID = "PAID", "Paid"
    OVERDUE = "OVERDUE", "Overdue"
    CANCELED = "CANCELED", "Canceled"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this one."""
        return {"DRAFT": {"SENT", "CANCELED"}, "SENT": {"PAID", "CANCELED"}}.get(self, set())


STORED_INVOICE_STATUSES = tuple(
    status for status in InvoiceStatus if status is not InvoiceStatus.OVERDUE
)


class DiscountType(models.TextChoices):
    """How a discount is counted."""

    PERCENT = "PERCENT", "Percent of the subtotal"
    AMOUNT = "AMOUNT", "Amount"


class InvoiceFilter(models.TextChoices):
    """Which invoices a list shows; `UNPAID` is `SENT` and `OVERDUE` together."""

    ALL = "ALL", "All"
    UNPAID = "UNPAID", "Unpaid"
    PAID = "PAID", "Paid"
    OVERDUE = "OVERDUE", "Overdue"
    DRAFT = "DRAFT", "Draft"
    SENT = "SENT", "Sent, not yet due"


class BillStatus(models.TextChoices):
    """Where a bill stands."""

    PENDING = "PENDING", "To be paid"
    PAID = "PAID", "Paid"
    CANCELED = "CANCELED", "Canceled"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this one."""
        return {"PENDING": {"PAID", "CANCELED"}}.get(self, set())


class BillFilter(models.TextChoices):
    """Which bills a list shows."""

    PAID = "PAID", "Paid"
    PENDING = "PENDING", "To be paid"
    CANCELED = "CANCELED", "Canceled"
    ALL = "ALL", "All"


class BillOrder(models.TextChoices):
    """The order of a list of bills."""

    DUE_DATE = "DUE_DATE", "Due date"
    CREATE_DATE = "CREATE_DATE", "Date of creation"


class SortDirection(models.TextChoices):
    """Which way a list is sorted."""

    ASC = "ASC", "Ascending"
    DESC = "DESC", "Descending"


class BillFrequency(models.TextChoices):
    """How often a recurring bill comes."""

    WEEKLY = "WEEKLY", "Weekly"
    MONTHLY = "MONTHLY", "Monthly"
    QUARTERLY = "QUARTERLY", "Quarterly"
    YEARLY = "YEARLY", "Yearly"


class PaymentMethod(models.TextChoices):
    """How a supplier can be paid."""

    ACH = "ACH", "ACH"
    WIRE_DOMESTIC = "WIRE_DOMESTIC", "Domestic wire"
    WIRE_INTERNATIONAL = "WIRE_INTERNATIONAL", "International wire"
    CHECK = "CHECK", "Check"


class IneligibleReason(models.TextChoices):
    """Why a bill cannot be paid by a method now; the first that holds is told."""

    BILL_NOT_PENDING = "BILL_NOT_PENDING", "The bill is paid or canceled."
    NOTHING_REMAINING = "NOTHING_REMAINING", "Payments on their way cover the bill."
    OTHER_CURRENCY = "OTHER_CURRENCY", "The bill is not in US dollars."
    NO_PAYEE_DETAILS = "NO_PAYEE_DETAILS", "The supplier has no details for this method."
    PAYEE_INACTIVE = "PAYEE_INACTIVE", "The supplier's details for this method are inactive."
    OVER_PAYMENT_LIMIT = "OVER_PAYMENT_LIMIT", "More than one payment may carry."
    OVER_DAILY_LIMIT = "OVER_DAILY_LIMIT", "More than is left of the day's limit."
    INSUFFICIENT_FUNDS = "INSUFFICIENT_FUNDS", "The available balance does not cover it."


class BillPaymentStatus(models.TextChoices):
    """Where a payment of a bill stands."""

    SCHEDULED = "SCHEDULED", "Scheduled"
    PROCESSING = "PROCESSING", "Processing"
    SETTLED = "SETTLED", "Settled"
    FAILED = "FAILED", "Failed"
    CANCELED = "CANCELED", "Canceled"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this one."""
        return {
            "SCHEDULED": {"PROCESSING", "FAILED", "CANCELED"},
            "PROCESSING": {"SETTLED", "FAILED"},
        }.get(self, set())


class SettlementStatus(models.TextChoices):
    """How much of a bill has reached the supplier."""

    UNPAID = "UNPAID", "Unpaid"
    PROCESSING = "PROCESSING", "On its way"
    PARTIALLY_SETTLED = "PARTIALLY_SETTLED", "Partially settled"
    SETTLED = "SETTLED", "Settled"


class CardProduct(models.TextChoices):
    """The product type of a card."""

    DEBIT_PHYSICAL = "DEBIT_PHYSICAL", "Debit card"
    DEBIT_VIRTUAL = "DEBIT_VIRTUAL", "Virtual debit card"
    SECURED_CREDIT = "SECURED_CREDIT", "Secured credit card"


class CardNetwork(models.TextChoices):
    """Over whose network a card pays."""

    VISA = "VISA", "Visa"
    MASTERCARD = "MASTERCARD", "Mastercard"


class CardStatus(models.TextChoices):
    """Where a card stands."""

    ORDERED = "ORDERED", "Ordered"
    SHIPPED = "SHIPPED", "Shipped"
    ACTIVE = "ACTIVE", "Active"
    FROZEN = "FROZEN", "Frozen"
    CANCELED = "CANCELED", "Canceled"


class EnrollmentStatus(models.TextChoices):
    """Whether a business takes part in the secured card program."""

    NOT_ENROLLED = "NOT_ENROLLED", "Not enrolled"
    PENDING = "PENDING", "Waiting for collateral"
    ENROLLED = "ENROLLED", "Enrolled"
    CLOSED = "CLOSED", "Closed"


class SecuredCardStatus(models.TextChoices):
    """Where a secured card's account stands."""

    CURRENT = "CURRENT", "Current"
    PAST_DUE = "PAST_DUE", "Past due"
    CLOSED = "CLOSED", "Closed"


class LinkedAccountType(models.TextChoices):
    """The type of an account at another institution."""

    CHECKING = "CHECKING", "Checking"
    SAVINGS = "SAVINGS", "Savings"
    CREDIT_CARD = "CREDIT_CARD", "Credit card"


class ConnectionStatus(models.TextChoices):
    """Whether an account at another institution can be read."""

    CONNECTED = "CONNECTED", "Connected"
    LOGIN_REQUIRED = "LOGIN_REQUIRED", "Sign-in needed"
    DISCONNECTED = "DISCONNECTED", "Disconnected"


class LetterVariant(models.TextChoices):
    """The purpose of a bank account letter."""

    GENERAL = "GENERAL", "General"
    ACH = "ACH", "ACH"
    WIRE_DOMESTIC = "WIRE_DOMESTIC", "Domestic wire"
    WIRE_INTERNATIONAL = "WIRE_INTERNATIONAL", "International wire"


class ReportPeriod(models.TextChoices):
    """Which time an expense report covers."""

    BEGINNING_OF_YEAR = "BEGINNING_OF_YEAR", "This year"
    LAST_YEAR = "LAST_YEAR", "Last year"
    MONTHLY = "MONTHLY", "This month"
    QUARTERLY = "QUARTERLY", "This quarter"
    ALL_TIME = "ALL_TIME", "All time"
    CUSTOM = "CUSTOM", "From one date to another"


OWN_TRANSFERS = ("TRANSFERS_IN", "TRANSFERS_OUT")  # categories between the business's accounts
FULL_YEAR = 5  # the quarter of a tax statement on the whole year


class JobStatus(models.TextChoices):
    """How far a worker is with a job."""

    QUEUED = "QUEUED", "Queued"
    RUNNING = "RUNNING", "Running"
    DONE = "DONE", "Done"
    FAILED = "FAILED", "Failed"
