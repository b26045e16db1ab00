"""Every URL of the back office, asked for by each role, against a table of who may."""

import functools
import hashlib

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import models
from django.test import Client
from django.urls import reverse

from banking.choices import StaffEventType, UserType
from banking.models import StaffEvent, User
from onboarding.event_types import EventType
from onboarding.models import DecisionRule, DocumentRule, Event, RiskRule, SavedQueue
from onboarding.roles import ROLES
from onboarding.services.partners.api_keys import issue_bank_key
from tests import factories
from tests.factories import NOON
from tests.staff import ask_view, sign_in

pytestmark = pytest.mark.one_database

EVERYTHING = "everything"
EDITED = {  # the screens that are no facts, and what they are for
    "auth.group": {"add", "change", "delete"},
    "banking.accountant": {"add"},
    "banking.feedupload": {"add"},
    "banking.paymentrule": {"change"},
    "banking.plan": {"change"},
    "banking.user": {"add", "change", "delete"},
    "onboarding.apikey": {"add"},
    "onboarding.bankkey": {"add"},
    "onboarding.decisionrule": {"add", "change", "delete"},
    "onboarding.documentrule": {"add", "change", "delete"},
    "onboarding.messagetemplate": {"add", "change", "delete"},
    "onboarding.partner": {"add"},
    "onboarding.riskrule": {"add", "change", "delete"},
    "onboarding.absence": {"add", "change", "delete"},
    "onboarding.routingrule": {"add", "change", "delete"},
    "onboarding.team": {"add", "change", "delete"},
}
ADDING = {  # the screens where the permission to add is another one than the model's
    "banking.accountant": {"banking.add_user"},
    "banking.user": {"banking.add_user", "banking.change_user"},
}
READING = {  # by the end of the URL's name, and what must be visible
    "accountant_statements": "banking.accountant banking.business banking.statement",
    "account_entries": "banking.account banking.entry",
    "statement_file": "banking.statement",
    "billattachment_file": "banking.billattachment",
    "taxstatement_file": "banking.taxstatement",
    "business_expenses": "banking.business banking.transaction",
    "business_detailed_expenses": "banking.business banking.transaction",
    "business_transactions": "banking.business banking.transaction",
    "business_letter": "banking.business banking.account",
    "transaction_receipt": "banking.transaction banking.receipt",
    "feedupload_template": "banking.feedupload",
    "document_file": "onboarding.document",
    "mail_content": "onboarding.mail",
    "document_view": "onboarding.document",
    "application_signed_record": "onboarding.application onboarding.consent onboarding.lead "
    "onboarding.owner onboarding.document",
    "event_by": "onboarding.event banking.staffevent admin.logentry",
    "application_search": "",  # each result needs the permission to view it
    "application_report": "onboarding.application",
    "application_workload": "onboarding.application",
    "application_table": "onboarding.application",
    "application_save": "onboarding.application",  # one's own links, for oneself
    "application_forget": "onboarding.application",
    "routingrule_try": "onboarding.routingrule",
    "notification_mails": "onboarding.notification",  # one's own
    "notification_read": "onboarding.notification",
    "notification_open": "onboarding.notification",
}
REVIEW = "onboarding.review_application"
DECIDE = "onboarding.decide_application"
CONFIRM = "onboarding.confirm_application"
STEPS = {  # what must be allowed
    "staffchange_confirm": "banking.change_staffchange",
    "staffchange_reject": "banking.change_staffchange",
    "bankoperation_confirm": "banking.change_bankoperation",
    "bankoperation_reject": "banking.change_bankoperation",
    **dict.fromkeys(
        [
            "account_freeze",
            "account_unfreeze",
            "account_hold",
            "account_adjust",
            "account_close",
            "card_freeze",
            "card_unfreeze",
            "transaction_reverse",
            "transaction_release",
        ],
        "banking.add_bankoperation",
    ),
    "feedupload_propose": "banking.change_feedupload",
    "feedupload_discard": "banking.change_feedupload",
    "user_confirm": "banking.change_user",
    "user_invite": "banking.change_user",
    "application_next": REVIEW,
    "application_read_decision": "onboarding.judge_qualitycheck",
    "application_claim": REVIEW,
    "application_release": REVIEW,
    "application_request_documents": REVIEW,
    "application_request_identity": REVIEW,
    "application_verify_identities": REVIEW,
    "application_rerun_checks": REVIEW,
    "application_judge_hits": REVIEW,
    "application_confirm_clearings": CONFIRM,
    "application_refuse_clearings": CONFIRM,
    "application_withdraw_clearings": REVIEW,
    "screeninghit_judge_hits": REVIEW,
    "screeninghit_confirm_clearings": CONFIRM,
    "screeninghit_refuse_clearings": CONFIRM,
    "screeninghit_withdraw_clearings": REVIEW,
    "application_note": REVIEW,
    "application_message": "onboarding.message_applicant",
    "application_read_answer": "onboarding.message_applicant",
    "application_tick": REVIEW,
    "application_accept_document": REVIEW,
    "application_reject_document": REVIEW,
    "application_change_kind": REVIEW,
    "document_turn": REVIEW,
    "document_open": "onboarding.open_document",
    "application_approve": DECIDE,
    "application_approve_temporarily": DECIDE,
    "application_deny": DECIDE,
    "application_reopen": DECIDE,
    "application_withdraw": DECIDE,
    "application_confirm": CONFIRM,
    "application_refuse": CONFIRM,
    "application_reassign": REVIEW,
    "application_escalate": REVIEW,
    "application_answer": REVIEW,
    "application_reveal": "onboarding.reveal_number",
    "customer_open_review": REVIEW,
    "customer_request_change": REVIEW,
    "customercase_claim": REVIEW,
    "customercase_release": REVIEW,
    "customercase_rerun_checks": REVIEW,
    "customercase_approve_change": DECIDE,
    "customercase_deny_change": DECIDE,
    "customercase_close_review": DECIDE,
    "customercase_withdraw": DECIDE,
    "customercase_confirm": CONFIRM,
    "customercase_refuse": CONFIRM,
    "customercase_reassign": "onboarding.reassign_application",
    "qualitycheck_judge": "onboarding.judge_qualitycheck",
    "lead_export_audit": "onboarding.export_audit",
    "event_export_by": "onboarding.export_audit",
    "apikey_rotate": "onboarding.change_apikey",
    "apikey_revoke": "onboarding.change_apikey",
    "bankkey_rotate": "onboarding.change_bankkey",
    "bankkey_revoke": "onboarding.change_bankkey",
    "delivery_send_again": "onboarding.change_delivery",
    "mail_send_again": "onboarding.change_mail",
    "webhook_enable": "onboarding.change_webhook",
    "webhook_disable": "onboarding.change_webhook",
    "partner_suspend": "onboarding.change_partner",
    "partner_reinstate": "onboarding.change_partner",
    "partner_appearance": "onboarding.change_partner",
    "partner_ask_for_code": "onboarding.change_partner",
    "partner_waive_code": "onboarding.change_partner",
    "partner_send_reminders": "onboarding.change_partner",
    "partner_stop_reminders": "onboarding.change_partner",
    "partner_rely": "onboarding.change_partner",
    "partner_stop_relying": "onboarding.change_partner",
    "partner_set_limits": "onboarding.change_partner",
}
READING_ROLES = [role for role in ROLES if role.name in {"Viewer", "Auditor"}]
WRITING_ROLES = [role for role in ROLES if role not in READING_ROLES]
STANDARD = {"changelist", "add", "change", "history", "delete", "export"}
UNTOUCHED = ["onboarding", "banking", "mcp_server", "auth"]
BY_LOOKING = {"last_login"}
OPENING = {"reason": "EXAMINATION", "note": "For the crawl."}


@functools.cache
def urls():
    """Return each URL of the screens: label of the model, end of the name, and the parameters."""
    found = []
    for model, screen in admin.site._registry.items():  # noqa: SLF001 - there is no other way
        for pattern in screen.get_urls():
            if pattern.name:
                action = pattern.name.partition("_")[2]
                standard = action.removeprefix(f"{model._meta.model_name}_")
                name = standard if standard in STANDARD else action
                parameters = list(pattern.pattern.converters)
                found.append((model._meta.label_lower, name, f"admin:{pattern.name}", parameters))
    return found


def needs(label, name, method):
    """Return the sets of permissions of which one must be had; no set if nobody may."""
    app, model = label.split(".")
    if name in {"document_file", "document_view", "document_turn"}:
        return []  # without the token that opening it gives
    if name in STEPS:
        return [{STEPS[name]}]
    if name in READING:
        return [{f"{one.split('.')[0]}.view_{one.split('.')[1]}" for one in READING[name].split()}]
    edited = {one for one in EDITED.get(label, set()) if one == name}
    to_edit = [{f"{app}.{name}_{model}"}] if edited else []
    if name in {"add", "delete"}:
        return [ADDING[label]] if name == "add" and label in ADDING else to_edit
    if name == "change" and method == "POST":
        return to_edit
    return [{f"{app}.view_{model}"}, {f"{app}.change_{model}"}]


def may(permissions, label, name, method):
    if permissions == EVERYTHING:
        return bool(needs(label, name, method))
    return any(wanted <= permissions for wanted in needs(label, name, method))


@pytest.fixture
def rows(make_application, make_owner, make_document, make_event, make_webhook, make_api_key):
    """Return the key of a row of most screens, by the label of the model."""
    application = make_application()
    lead = application.lead
    made = [
        lead,
        application,
        lead.partner,
        make_owner(lead),
        make_document(lead),
        make_event(application),
        make_webhook(lead.partner),
        make_api_key().key,
        issue_bank_key(at=NOON, scopes=["*:read"]).key,
        factories.make_business(),
        factories.make_account(),
        factories.make_transaction(),
        factories.make_user(user_type=UserType.STAFF),
        factories.make_accountant(),
        factories.make_supplier(),
        factories.make_bill(),
        factories.make_invoice(),
        factories.make_job(),
        factories.make_feed_inbox_line(),
        factories.make_feed_batch(),
        factories.make_feed_upload(),
        factories.make_reconciliation(),
        Group.objects.create(name="Others"),
        DecisionRule.objects.first(),
        DocumentRule.objects.first(),
        RiskRule.objects.first(),
    ]
    return {row._meta.label_lower: row.pk for row in made}


@pytest.fixture
def crawl(rows):
    """Return a function that yields whether each URL refuses, and whether it says nothing."""

    def crawl(ask, method):
        for label, name, full, parameters in urls():
            pk = rows.get(label, 0)
            path = reverse(full, kwargs=dict.fromkeys(parameters, pk))
            sent = OPENING if name == "document_open" and method == "POST" else None
            answer = ask(path, method, sent)
            if answer.streaming:
                b"".join(answer.streaming_content)
            is_gone = name == "history" and not pk  # which Django says before it asks who looks
            says_nothing = is_gone or answer.status_code in {404, 405}
            yield label, name, answer.status_code == 403, says_nothing

    return crawl


def staff_of(*names):
    user = User.objects.create_user(f"{'-'.join(names) or 'nobody'}@example.com", user_type="STAFF")
    user.groups.set(Group.objects.filter(name__in=names))
    return user


def through_the_site(client):
    """Ask as a browser does, through the middleware."""
    return lambda path, method, sent: getattr(client, method.lower())(path, sent)


def of_the_views(user):
    """Ask the views alone, which decide what a user may, and render what they answer."""

    def ask(path, method, sent):
        answer = ask_view(user, path, method, sent)
        if hasattr(answer, "render"):
            answer.render()
        return answer

    return ask


def state():
    """Return a fingerprint of every table; when somebody signed in last is no part of it."""
    marks = {}
    for label in UNTOUCHED:
        for model in apps.get_app_config(label).get_models():
            names = [field.attname for field in model._meta.concrete_fields]
            kept = [name for name in names if name not in BY_LOOKING]
            rows = list(models.QuerySet(model).order_by("pk").values_list(*kept))
            marks[model._meta.label_lower] = hashlib.sha256(repr(rows).encode()).hexdigest()
    return marks


def compare(asked, permissions, method):
    wrong = []
    for label, name, is_refused, says_nothing in asked:
        if not says_nothing and is_refused == may(permissions, label, name, method):
            wrong.append((label, name, "refused" if is_refused else "allowed"))
    return wrong


@pytest.mark.django_db
def test_each_url_is_one_of_the_table():
    names = {name for _, name, _, _ in urls()} - STANDARD

    assert names == READING.keys() | STEPS.keys()


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("role", WRITING_ROLES, ids=lambda role: role.name)
def test_a_role_is_refused_what_it_may_not_and_nothing_else(role, method, crawl):
    asked = list(crawl(of_the_views(staff_of(role.name)), method))

    assert compare(asked, role.permissions, method) == []


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_staff_without_a_role_are_refused_everything(crawl, method):
    assert compare(crawl(of_the_views(staff_of()), method), set(), method) == []


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_customer_is_let_in_nowhere(rows, method):
    client = Client()
    client.force_login(User.objects.create_user("customer@example.com"))

    for label, _, full, parameters in urls():
        path = reverse(full, kwargs=dict.fromkeys(parameters, rows.get(label, 0)))
        answer = client.get(path) if method == "GET" else client.post(path)
        assert answer.status_code == 302, full
        assert answer["Location"].startswith("/admin/login/"), full


def test_nothing_changes_by_looking(crawl, chief):
    before = state()

    asked = list(crawl(through_the_site(chief), "GET"))

    assert compare(asked, EVERYTHING, "GET") == []
    assert state() == before


@pytest.mark.parametrize("role", READING_ROLES, ids=lambda role: role.name)
def test_a_role_that_only_reads_is_refused_the_rest_and_changes_nothing(crawl, role):
    ask = through_the_site(sign_in(staff_of(role.name)))
    before = state()

    for method in ("GET", "POST"):
        assert compare(crawl(ask, method), role.permissions, method) == []

    traces = Event.objects.filter(type__in=[EventType.DOCUMENT_OPENED, EventType.EXPORTED])
    changed = {label for label, mark in state().items() if mark != before[label]}
    assert traces.exists()
    of_exports = {"banking.staffevent", "banking.staffhistory"}  # of lists, of what a person did
    of_oneself = {"onboarding.mutedmail"}  # the mails that one gets
    assert changed <= {"onboarding.event", "onboarding.lead", *of_exports, *of_oneself}
    exports = {StaffEventType.AUDIT_EXPORTED, StaffEventType.LIST_EXPORTED}
    assert {one.type for one in StaffEvent.objects.all()} <= exports
    assert Event.objects.count() == 1 + traces.count()
    assert not SavedQueue.objects.exists()
