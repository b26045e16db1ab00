"""The roles of staff: their permissions in the back office.

A migration creates a group of the same name for each role; `docs/back-office.md` shows them as a
table. Permissions have the form `<app>.<action>_<model>`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class StaffRole:
    """A group of staff: its name, purpose and permissions."""

    name: str
    description: str
    permissions: frozenset[str]


def _permissions(app: str, actions: Iterable[str], models: str) -> Iterator[str]:
    return (f"{app}.{action}_{model}" for action in actions for model in models.split())


CASES = frozenset(
    _permissions(
        "onboarding",
        ["view"],
        "absence application check checkrun consent customer customercase decisionrule delivery "
        "deliveryattempt document documentrule event lead mail messagetemplate note notification "
        "owner partner partnerverification policyversion proposal riskrule routingrule "
        "sanctionsentry sanctionslist sanctionsname screeninghit team verificationprovider "
        "verificationrequest",
    )
)
RECORDS = frozenset(
    _permissions(
        "banking",
        ["view"],
        "account accountant bill billattachment billpayment business businessaddress businessowner "
        "card category clientaccess dunsregistration entry firm firmdeparture invoice "
        "invoicediscount invoiceline linkedaccount location merchant payee paymentrule plan "
        "planbenefit posting receipt receiptline referral securedcard serviceitem statement "
        "subscription supplier taxbucket taxstatement termsacceptance termsofservice transaction",
    )
)
MACHINERY = frozenset(
    [
        *_permissions(
            "onboarding", ["view"], "apikey bankkey lane publication qualitycheck webhook"
        ),
        *_permissions(
            "banking",
            ["view"],
            "bankoperation feedbatch feedinboxline feedupload job reconciliation staffchange "
            "staffevent user",
        ),
        *_permissions("auth", ["view"], "group"),
        *_permissions("admin", ["view"], "logentry"),
        *_permissions("mcp_server", ["view"], "accesslogentry connection"),
    ]
)
STEPS = frozenset(
    ["onboarding.review_application", "onboarding.decide_application", "onboarding.reveal_number"]
)
ANSWERING = frozenset(["onboarding.message_applicant", "onboarding.search_number"])
SECOND_STEPS = frozenset(
    [
        "onboarding.confirm_application",
        "onboarding.reassign_application",
        "onboarding.judge_qualitycheck",
        "onboarding.view_qualitycheck",
    ]
)
RUNNING = frozenset(
    [
        *_permissions("banking", ["add", "change"], "feedupload user"),
        *_permissions("banking", ["change"], "paymentrule plan staffchange"),
        *_permissions("onboarding", ["add", "change"], "apikey bankkey partner"),
        *_permissions("onboarding", ["change"], "delivery mail webhook"),
        *_permissions(
            "onboarding",
            ["add", "change", "delete"],
            "absence decisionrule documentrule messagetemplate riskrule routingrule team",
        ),
    ]
)

OPENING = frozenset(["onboarding.open_document"])  # for a reason, without the steps of cases

VIEWER = StaffRole(
    "Viewer",
    "Reads cases and the bank's records, personal numbers masked, and opens documents for a stated "
    "reason; changes nothing.",
    CASES | RECORDS | OPENING,
)
REVIEWER = StaffRole(
    "Reviewer",
    "Works on cases: claims them, asks for what is missing, reveals numbers, proposes decisions.",
    VIEWER.permissions | STEPS | ANSWERING,
)
SUPPORT = StaffRole(
    "Support",
    "Answers calls: searches, reads cases and mails, sends mails again, writes to applicants.",
    CASES | RECORDS | ANSWERING | {"onboarding.change_mail"},
)
APPROVER = StaffRole(
    "Approver",
    "A reviewer who may also be the second person of a decision and hand over the cases of others.",
    REVIEWER.permissions | SECOND_STEPS,
)
AUDITOR = StaffRole(
    "Auditor",
    "Reads everything, who did what included, opens documents for a stated reason, and exports the "
    "audit; takes no step.",
    CASES | RECORDS | MACHINERY | OPENING | {"onboarding.export_audit"},
)
ADMINISTRATOR = StaffRole(
    "Administrator",
    "Looks after people, partners, webhooks and rules; neither decides, nor reveals numbers, nor "
    "opens documents.",
    CASES | RECORDS | MACHINERY | RUNNING,
)
OPERATIONS = StaffRole(
    "Operations",
    "Proposes operations on accounts, cards and postings, and confirms those of colleagues.",
    RECORDS
    | frozenset(_permissions("banking", ["view", "add", "change"], "bankoperation"))
    | {"onboarding.view_customer"},
)
ROLES = (VIEWER, SUPPORT, REVIEWER, APPROVER, AUDITOR, ADMINISTRATOR, OPERATIONS)
