"""The bank's tables, one module per noun."""

from banking.models.accountant_invitations import AccountantInvitation
from banking.models.accountants import Accountant, ClientAccess, FirmDeparture, Referral
from banking.models.accounts import Account, LinkedAccount
from banking.models.bills import Bill, BillAttachment, BillPayment, PaymentRule
from banking.models.businesses import Business, BusinessAddress, BusinessOwner, DunsRegistration
from banking.models.cards import Card, SecuredCard
from banking.models.categories import Category
from banking.models.deployments import Deployment
from banking.models.feed import (
    FeedBatch,
    FeedChange,
    FeedChunk,
    FeedInboxLine,
    FeedRecord,
    FeedUpload,
)
from banking.models.firms import Firm
from banking.models.invoices import Invoice, InvoiceDiscount, InvoiceLine, ServiceItem
from banking.models.jobs import Job
from banking.models.leases import Lease
from banking.models.ledger import Entry, Posting
from banking.models.merchants import Location, Merchant
from banking.models.plans import Plan, PlanBenefit, Subscription
from banking.models.rate_windows import RateWindow
from banking.models.receipts import Receipt, ReceiptFile, ReceiptLine
from banking.models.reconciliations import Reconciliation
from banking.models.staff_changes import BankOperation, StaffChange, StaffEvent, StaffHistory
from banking.models.statements import Statement
from banking.models.suppliers import Payee, Supplier
from banking.models.taxes import TaxBucket, TaxStatement
from banking.models.terms import TermsAcceptance, TermsOfService
from banking.models.totals import MerchantTotal, TransactionTotal
from banking.models.transactions import Transaction
from banking.models.users import User
