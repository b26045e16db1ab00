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
    """The filing status of a business's owner for the income tax."""

    SINGLE = "SINGLE", "Single"
    JOINT = "JOINT", "Married, filing jointly"
    HEAD_OF_HOUSEHOLD = "HEAD_OF_HOUSEHOLD", "Head of household"


class BusinessOwnerRole(models.TextChoices):
    """The role of an owner: the primary owner, who applied, or another beneficial owner."""

    PRIMARY_OWNER = "PRIMARY_OWNER", "Primary owner"
    UBO = "UBO", "Beneficial owner"


class SignInRole(models.TextChoices):
    """The role with which an owner besides the primary owner signs in; owners without cannot."""

    PARTNER = "PARTNER", "Partner"
    PARTNER_FULL_ACCESS = "PARTNER_FULL_ACCESS", "Partner with full access"


class AddressKind(models.TextChoices):
    """The purpose of an address of a business."""

    REGISTERED = "REGISTERED", "Registered"
    OPERATIONAL = "OPERATIONAL", "Operational"
    MAILING = "MAILING", "Mailing"


class SubscriptionStatus(models.TextChoices):
    """The status of a business's subscription to a plan."""

    TRIAL = "TRIAL", "Trial"
    ACTIVE = "ACTIVE", "Active"
    PAST_DUE = "PAST_DUE", "Past due"
    CANCELED = "CANCELED", "Canceled"


class DunsStatus(models.TextChoices):
    """The status of a business's registration for a DUNS number.

    The business or its partner gave a reported number; nobody has confirmed it.
    """

    PENDING = "PENDING", "Applied for"
    REPORTED = "REPORTED", "Reported, not confirmed"
    REGISTERED = "REGISTERED", "Registered"


class AccessStatus(models.TextChoices):
    """The status of a firm's access to a client. `moves` defines the state machine."""

    PENDING_TERMS = "PENDING_TERMS", "Waiting for terms of service"
    CONNECTED = "CONNECTED", "Connected"
    REVOKED = "REVOKED", "Revoked"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this status."""
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
    """The status of a business that an accountant referred. `moves` defines the state machine."""

    INVITED = "INVITED", "Invited"
    REGISTERED = "REGISTERED", "Registered"
    COMPLETED = "COMPLETED", "Account opened"
    EXPIRED = "EXPIRED", "Invitation expired"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this status."""
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
        """Return whether accounts of this type are the bank's own."""
        return self in OF_THE_BANK

    @property
    def is_credit(self) -> bool:
        """Return whether this is a type of credit: a debt is a negative balance, up to a limit."""
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


class BooksFormat(models.TextChoices):
    """The format of a month's file for accounting software."""

    QBO = "QBO", "QuickBooks (QBO)"
    OFX = "OFX", "OFX"
    QUICKBOOKS_CSV = "QUICKBOOKS_CSV", "QuickBooks CSV"
    XERO_CSV = "XERO_CSV", "Xero CSV"


class AccountStatus(models.TextChoices):
    """The status of an account. Only open accounts take postings."""

    OPEN = "OPEN", "Open"
    CLOSED = "CLOSED", "Closed"


class BucketType(models.TextChoices):
    """The types of accounts beside the primary account, as the account summary names them."""

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
    """The status of a transaction: pending as a hold, posted to the ledger, or released."""

    PENDING = "PENDING", "Pending"
    POSTED = "POSTED", "Posted"
    RELEASED = "RELEASED", "Released"


class CategoryType(models.TextChoices):
    """The type of a category: expense or income."""

    EXPENSE = "EXPENSE", "Expense"
    INCOME = "INCOME", "Income"


class Direction(models.TextChoices):
    """The direction of a transaction: into an account or out of it."""

    CREDIT = "CREDIT", "In"
    DEBIT = "DEBIT", "Out"


class Granularity(models.TextChoices):
    """The length of the periods of a total or of a series."""

    DAY = "DAY", "Day"
    MONTH = "MONTH", "Month"
    QUARTER = "QUARTER", "Quarter"
    YEAR = "YEAR", "Year"


class ClientCheck(models.TextChoices):
    """The problems that a check of all clients of an accountant looks for."""

    STATEMENT_MISSING = "STATEMENT_MISSING", "No statement of last month"
    BILLS_OVERDUE = "BILLS_OVERDUE", "Bills past due"
    INVOICES_OVERDUE = "INVOICES_OVERDUE", "Invoices past due"
    BALANCE_LOW = "BALANCE_LOW", "Low balance"
    TAX_NOT_SAVED = "TAX_NOT_SAVED", "Tax not set aside"
    NOT_CATEGORIZED = "NOT_CATEGORIZED", "Transactions without category"
    RECEIPT_MISSING = "RECEIPT_MISSING", "Purchases without receipt"


class GroupBy(models.TextChoices):
    """The parts that a financial summary is broken down into."""

    CATEGORY = "CATEGORY", "Category"
    MERCHANT = "MERCHANT", "Merchant"
    MONTH = "MONTH", "Month"
    ACCOUNT = "ACCOUNT", "Account"


class ChartType(models.TextChoices):
    """The figure of a financial summary."""

    INCOME = "INCOME", "Income"
    EXPENSE = "EXPENSE", "Expense"
    PROFIT = "PROFIT", "Profit"


class InvoiceStatus(models.TextChoices):
    """The status of an invoice. `OVERDUE` is `SENT` past its due date and never stored."""

    DRAFT = "DRAFT", "Draft"
    SENT = "SENT", "Sent"
    PAID = "PAID", "Paid"
    OVERDUE = "OVERDUE", "Overdue"
    CANCELED = "CANCELED", "Canceled"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this status."""
        return {"DRAFT": {"SENT", "CANCELED"}, "SENT": {"PAID", "CANCELED"}}.get(self, set())


STORED_INVOICE_STATUSES = tuple(
    status for status in InvoiceStatus if status is not InvoiceStatus.OVERDUE
)


class DiscountType(models.TextChoices):
    """The unit of a discount: percent or dollars."""

    PERCENT = "PERCENT", "Percent of the subtotal"
    AMOUNT = "AMOUNT", "Amount"


class InvoiceFilter(models.TextChoices):
    """The filter of a list of invoices. `UNPAID` is `SENT` and `OVERDUE` together."""

    ALL = "ALL", "All"
    UNPAID = "UNPAID", "Unpaid"
    PAID = "PAID", "Paid"
    OVERDUE = "OVERDUE", "Overdue"
    DRAFT = "DRAFT", "Draft"
    SENT = "SENT", "Sent, not yet due"


class BillStatus(models.TextChoices):
    """The status of a bill. `moves` defines the state machine."""

    PENDING = "PENDING", "To be paid"
    PAID = "PAID", "Paid"
    CANCELED = "CANCELED", "Canceled"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this status."""
        return {"PENDING": {"PAID", "CANCELED"}}.get(self, set())


class BillFilter(models.TextChoices):
    """The filter of a list of bills."""

    PAID = "PAID", "Paid"
    PENDING = "PENDING", "To be paid"
    CANCELED = "CANCELED", "Canceled"
    ALL = "ALL", "All"


class InvoiceDate(models.TextChoices):
    """The date of an invoice by which a period selects invoices."""

    ISSUE_DATE = "ISSUE_DATE", "Date of issue"
    DUE_DATE = "DUE_DATE", "Due date"


class BillOrder(models.TextChoices):
    """The date by which a list of bills is sorted."""

    DUE_DATE = "DUE_DATE", "Due date"
    CREATE_DATE = "CREATE_DATE", "Date of creation"


class SortDirection(models.TextChoices):
    """The direction of an order: ascending or descending."""

    ASC = "ASC", "Ascending"
    DESC = "DESC", "Descending"


class BillFrequency(models.TextChoices):
    """The frequency of a recurring bill."""

    WEEKLY = "WEEKLY", "Weekly"
    MONTHLY = "MONTHLY", "Monthly"
    QUARTERLY = "QUARTERLY", "Quarterly"
    YEARLY = "YEARLY", "Yearly"


class PaymentMethod(models.TextChoices):
    """The method of paying a supplier."""

    ACH = "ACH", "ACH"
    WIRE_DOMESTIC = "WIRE_DOMESTIC", "Domestic wire"
    WIRE_INTERNATIONAL = "WIRE_INTERNATIONAL", "International wire"
    CHECK = "CHECK", "Check"


class IneligibleReason(models.TextChoices):
    """The first reason that prevents paying a bill by a payment method now."""

    BILL_NOT_PENDING = "BILL_NOT_PENDING", "The bill is paid or canceled."
    NOTHING_REMAINING = "NOTHING_REMAINING", "Payments on their way cover the bill."
    OTHER_CURRENCY = "OTHER_CURRENCY", "The bill is not in US dollars."
    NO_PAYEE_DETAILS = "NO_PAYEE_DETAILS", "The supplier has no details for this method."
    PAYEE_INACTIVE = "PAYEE_INACTIVE", "The supplier's details for this method are inactive."
    OVER_PAYMENT_LIMIT = "OVER_PAYMENT_LIMIT", "More than one payment may carry."
    OVER_DAILY_LIMIT = "OVER_DAILY_LIMIT", "More than is left of the day's limit."
    INSUFFICIENT_FUNDS = "INSUFFICIENT_FUNDS", "The available balance does not cover it."


class BillPaymentStatus(models.TextChoices):
    """The status of a payment of a bill. `moves` defines the state machine."""

    SCHEDULED = "SCHEDULED", "Scheduled"
    PROCESSING = "PROCESSING", "Processing"
    SETTLED = "SETTLED", "Settled"
    FAILED = "FAILED", "Failed"
    CANCELED = "CANCELED", "Canceled"

    @property
    def moves(self) -> set[str]:
        """Return the statuses that may follow this status."""
        return {
            "SCHEDULED": {"PROCESSING", "FAILED", "CANCELED"},
            "PROCESSING": {"SETTLED", "FAILED"},
        }.get(self, set())


class SettlementStatus(models.TextChoices):
    """The progress of a bill's payments to the supplier."""

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
    """The payment network of a card."""

    VISA = "VISA", "Visa"
    MASTERCARD = "MASTERCARD", "Mastercard"


class CardStatus(models.TextChoices):
    """The status of a card."""

    ORDERED = "ORDERED", "Ordered"
    SHIPPED = "SHIPPED", "Shipped"
    ACTIVE = "ACTIVE", "Active"
    FROZEN = "FROZEN", "Frozen"
    CANCELED = "CANCELED", "Canceled"


class EnrollmentStatus(models.TextChoices):
    """The status of a business's enrollment in the secured card program."""

    NOT_ENROLLED = "NOT_ENROLLED", "Not enrolled"
    PENDING = "PENDING", "Waiting for collateral"
    ENROLLED = "ENROLLED", "Enrolled"
    CLOSED = "CLOSED", "Closed"


class SecuredCardStatus(models.TextChoices):
    """The status of a secured card's account."""

    CURRENT = "CURRENT", "Current"
    PAST_DUE = "PAST_DUE", "Past due"
    CLOSED = "CLOSED", "Closed"


class LinkedAccountType(models.TextChoices):
    """The type of an account at another institution."""

    CHECKING = "CHECKING", "Checking"
    SAVINGS = "SAVINGS", "Savings"
    CREDIT_CARD = "CREDIT_CARD", "Credit card"


class ConnectionStatus(models.TextChoices):
    """The status of the connection to an account at another institution."""

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
    """The period of an expense report."""

    BEGINNING_OF_YEAR = "BEGINNING_OF_YEAR", "This year"
    LAST_YEAR = "LAST_YEAR", "Last year"
    MONTHLY = "MONTHLY", "This month"
    QUARTERLY = "QUARTERLY", "This quarter"
    ALL_TIME = "ALL_TIME", "All time"
    CUSTOM = "CUSTOM", "From one date to another"


FULL_YEAR = 5  # the quarter of a tax statement on the whole year


class JobStatus(models.TextChoices):
    """The status of a job."""

    QUEUED = "QUEUED", "Queued"
    RUNNING = "RUNNING", "Running"
    DONE = "DONE", "Done"
    FAILED = "FAILED", "Failed"


class StaffChangeStatus(models.TextChoices):
    """The status of a change that needs a second administrator."""

    OPEN = "OPEN", "Waits for a second person"
    CONFIRMED = "CONFIRMED", "Confirmed"
    REFUSED = "REFUSED", "Rejected"
    WITHDRAWN = "WITHDRAWN", "Withdrawn"
    VOIDED = "VOIDED", "Voided by a change"


class StaffEventType(models.TextChoices):
    """The type of a staff event.

    Staff events are about accounts, proposals, rules, keys, exports, searches or screening hits.
    """

    FIRST_CREATED = "FIRST_CREATED", "First administrator created"
    SUPERUSER_CREATED = "SUPERUSER_CREATED", "Superuser created"
    FACTOR_RESET = "FACTOR_RESET", "Two-step verification reset"
    CREDENTIALS_CHANGED = "CREDENTIALS_CHANGED", "Own password or second factor changed"
    ACCOUNT_CONFIRMED = "ACCOUNT_CONFIRMED", "Account confirmed"
    ACCESS_REMOVED = "ACCESS_REMOVED", "Access removed"
    RENAMED = "RENAMED", "Name changed"
    INVITED_AGAIN = "INVITED_AGAIN", "Invitation sent again"
    AUDIT_EXPORTED = "AUDIT_EXPORTED", "Audit of a person exported"
    BANK_KEY = "BANK_KEY", "Bank key changed by a command"
    PARTNER_KEY = "PARTNER_KEY", "Partner's key changed by a command"
    ROUTING_CHANGED = "ROUTING_CHANGED", "Routing of cases changed"
    LIST_EXPORTED = "LIST_EXPORTED", "List exported"
    NUMBER_SEARCHED = "NUMBER_SEARCHED", "Personal number searched"
    PROPOSED = "PROPOSED", "Change proposed"
    CONFIRMED = "CONFIRMED", "Change confirmed"
    REFUSED = "REFUSED", "Change rejected"
    WITHDRAWN = "WITHDRAWN", "Change withdrawn"
    VOIDED = "VOIDED", "Change voided"
    HIT_JUDGED = "HIT_JUDGED", "Screening hit judged"


class FeedResult(models.TextChoices):
    """The result of a line of the record feed, as the line's answer spells it."""

    CREATED = "created", "Created"
    UPDATED = "updated", "Updated"
    UNCHANGED = "unchanged", "Unchanged"
    STALE = "stale", "Stale: a newer version is stored"
    REMOVED = "removed", "Removed"
    PENDING = "pending", "Waiting for a record that it refers to"
    REFUSED = "refused", "Refused"


class FeedSource(models.TextChoices):
    """The way that a batch of the record feed came in."""

    API = "API", "API"
    COMMAND = "COMMAND", "Command"
    UPLOAD = "UPLOAD", "Upload in the back office"


class ScanState(models.TextChoices):
    """The result of the newest malware scan of a file that came from outside."""

    NOT_SCANNED = "NOT_SCANNED", "Not scanned"
    PENDING = "PENDING", "To be scanned for malware"
    CLEAN = "CLEAN", "Nothing found"
    QUARANTINED = "QUARANTINED", "Malware found"
