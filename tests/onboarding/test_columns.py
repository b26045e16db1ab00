"""Each column of a lead, an owner and an application is shown wherever its users look for it.

A place shows a column if another value of the column changes what the place shows.
"""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import product
from uuid import UUID

import pytest
from django.contrib.admin import site
from django.contrib.admin.utils import flatten_fieldsets

from banking.models import User
from onboarding.admin.case_people import answers_of, business_facts, numbers_of, person_card
from onboarding.admin.leads import LeadAdmin
from onboarding.admin.owners import OwnerAdmin
from onboarding.api.representations import Answer, LeadFileSerializer
from onboarding.api.serializers import LeadSerializer, OwnerSerializer
from onboarding.choices import ApplicationStatus, Risk
from onboarding.flow.forms.business import BusinessForm
from onboarding.flow.forms.people import ApplicantForm, OwnerForm
from onboarding.flow.overviews import Holder
from onboarding.models import Application, Lead, Owner, Partner
from onboarding.services.leads.overviews import about_business
from tests.factories import NOON, later
from tests.staff import sign_in

BAKER = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
MILLER = UUID("01890a5d-ac96-774b-bcce-b302099a8058")
A_BOX = {"line1": "PO Box 1", "city": "Austin", "state": "TX", "country": "US"}
PERSON = {  # every column that says something about a person, with two values of it
    "external_id": (BAKER, MILLER),
    "email": ("baker@example.com", "miller@example.com"),
    "phone_number": ("+14155550100", "+14155550101"),
    "ssn": ("123456789", "123456780"),
    "birth_date": (date(1990, 1, 2), date(1991, 3, 4)),
    "first_name": ("Bea", "Max"),
    "last_name": ("Baker", "Miller"),
    "passport_number": ("P123456789", "P123456780"),
    "id_gov_number": ("G123456789", "G123456780"),
    "id_country": ("GB", "FR"),
    "id_expiration_date": (date(2030, 1, 2), date(2031, 3, 4)),
    "ownership_percent": (Decimal(50), Decimal(40)),
    "is_control_person": (False, True),
    "title": ("CEO", "CFO"),
    "identity_status": ("REQUESTED", "VERIFIED"),
    "supplied_by": ({"email": "APPLICANT"}, {}),
    "corrected": ([], ["email"]),
}
LEAD = PERSON | {
    "line1": ("1 Example Street", "2 Example Street"),
    "line2": ("Floor 1", "Floor 2"),
    "city": ("Austin", "Dallas"),
    "state": ("TX", "NY"),
    "country": ("US", "GB"),
    "postal_code": ("78701", "78702"),
    "ein": ("123456789", "123456780"),
    "business_name": ("Bakery LLC", "Mill LLC"),
    "business_address": (A_BOX, A_BOX | {"line1": "PO Box 2"}),
    "mailing_address": (A_BOX, A_BOX | {"line1": "PO Box 2"}),
    "business_type": ("LLC", "MMLLC"),
    "incorporation_state": ("TX", "NY"),
    "incorporation_date": (date(2019, 5, 1), date(2020, 6, 2)),
    "unique_id": ("partner-1", "partner-2"),
    "duns": ("123456789", "123456780"),
    "naics_code": ("311811", "311812"),
    "campaign": ("spring", "autumn"),
    "metadata": ({}, {"note": "the corner shop"}),
    "edd_answers": ([], [{"question": "Who?", "answer": "Bea"}]),
}
OWNER = PERSON | {
    "role": ("PARTNER", "PARTNER_FULL_ACCESS"),
    "address": (A_BOX, A_BOX | {"line1": "PO Box 2"}),
}
APPLICATION = {
    "external_id": (BAKER, MILLER),
    "attempt": (1, 2),
    "status": (ApplicationStatus.APPROVED_TEMPORARY, ApplicationStatus.IN_REVIEW),
    "status_changed_at": (NOON, later(days=1)),
    "entered_at": (NOON, later(days=1)),
    "submitted_at": (NOON, later(days=1)),
    "expiration_date": (date(2026, 4, 1), date(2026, 4, 2)),
    "reminders_sent": (0, 1),
    "due_at": (NOON, later(days=1)),
    "risk": (Risk.LOW, Risk.HIGH),
    "risk_points": (1, 2),
    "risk_reasons": ([], [{"reason": "An owner lives abroad.", "points": 1}]),
    "applicant_text": ("", "We cannot offer an account to your business."),
    "created_at": (NOON, later(days=1)),
}

FIRST = {name: first for name, (first, _) in APPLICATION.items()}
COLUMNS = {Lead: LEAD, Owner: OWNER, Application: APPLICATION}
INTERNAL = {  # columns that hold nothing which a user looks for, with the reason
    Lead: {
        "id": "the API has external_id",
        "partner": "the partner that asks, or the headline of the case",
        "ssn_index": "a keyed hash for searches",
        "ssn_last_four_index": "a keyed hash for searches",
        "confirmed": "keyed hashes of values that are columns of their own",
        "ein_index": "a keyed hash for searches",
        "ein_last_four_index": "a keyed hash for searches",
        "event_count": "the end of the chain of events, which `verify_audit` reads",
        "last_sequence": "the number of the last event; the answer has it as `sequence`",
        "last_digest": "the end of the chain of events, which `verify_audit` reads",
        "published_sequence": "how many events were published",
        "erased_at": "an erased lead has no values to show",
        "created_at": "when the row was made; the answer has it beside the lead",
        "updated_at": "when the row changed; the answer has it beside the lead",
    },
    Owner: {
        "id": "the API has external_id",
        "lead": "the lead with which the owner is shown",
        "ssn_index": "a keyed hash for searches",
        "ssn_last_four_index": "a keyed hash for searches",
        "confirmed": "keyed hashes of values that are columns of their own",
        "created_at": "when the row was made",
    },
    Application: {
        "id": "the API has external_id",
        "lead": "the lead with which the application is shown",
        "is_current": "the newest attempt is the one that is shown",
        "link_version": "part of the derivation of the applicant's link",
        "link_digest": "a secret",
        "link_expires_at": "the create and the mail tell it",
        "token_digest": "a secret",
        "token_expires_at": "the create tells it",
        "token_used_at": "a token works once",
        "document_requests": "requirements, and the checklist of the case, follow from them",
        "account": "a row of its own, with a serializer of its own",
        "visited_steps": "the applicant's progress bar has it",
        "referral": "the headline of the case links to it; partners have none",
        "remind_at": "the clock looks for reminders by it",
        "nudges_stopped_at": "the timeline of the case has the event",
        "time_zone": "mails are written in it",
        "review_began_at": "the reports measure by it",
        "touched_at": "the reports measure by it",
        "decided_at": "the reports measure by it; partners are told status_changed_at",
        "claimed_by": "the headline of the case has it while the claim lasts",
        "claimed_until": "the headline of the case has it while the claim lasts",
        "worst_result": "the queue is filtered by it; the case has every check",
        "assignee": "the headline and the queue have it",
        "returned_at": "the queue of one's own cases begins with it; the timeline has the answer",
        "needs_screening": "the case is checked again within minutes; it has the checks",
        "answered_at": "the queue of answers is filtered by it; the case has the answers",
        "new_hit_at": "the queue of new sanctions hits is filtered by it",
    },
}
IDENTIFIER = "an identifier that the bank gives"
FOLLOWS = "follows from the sender of a value"
NOT_IN_CONTRACT = "the contract has no such field, so the applicant is asked for it"
PROVED = "follows from the proof of identity"
FIXED = "identifies the applicant and never changes; the page shows it above the form"
CHOSEN = "chosen in `ControlForm`, on the page of all owners"
PARTNERS = "a value of the partner alone, which the applicant neither knows nor signs"
BANKS = "the bank's own work"
NOT_TYPED = {
    "external_id": IDENTIFIER,
    "identity_status": PROVED,
    "supplied_by": FOLLOWS,
    "corrected": FOLLOWS,
}
OF_THE_PARTNER = dict.fromkeys(["unique_id", "campaign", "metadata"], PARTNERS)
EXCLUDED = {  # columns that a place leaves out on purpose, with the reason
    ("answer", Lead): {
        "identity_status": "the status of the application tells it",
        "incorporation_date": NOT_IN_CONTRACT,
    },
    ("answer", Application): {
        "entered_at": BANKS,
        "reminders_sent": BANKS,
        "due_at": BANKS,
        "risk": BANKS,
        "risk_points": BANKS,
        "risk_reasons": BANKS,
        "applicant_text": "the applicant alone is told",
        "created_at": "the answer has the lead's",
    },
    ("page", Application): {
        "created_at": "the timeline begins with it",
        "due_at": "the clock of the headline has it while a review waits",
    },
    ("request", Lead): NOT_TYPED | {"incorporation_date": NOT_IN_CONTRACT},
    ("request", Owner): NOT_TYPED,
    ("form", Lead): NOT_TYPED | OF_THE_PARTNER | {"email": FIXED, "is_control_person": CHOSEN},
    ("form", Owner): NOT_TYPED | {"is_control_person": CHOSEN},
    ("overview", Lead): NOT_TYPED | OF_THE_PARTNER,
    ("overview", Owner): NOT_TYPED | {"role": "what the person may do with the account later"},
    ("case", Lead): {
        "unique_id": "in the headline, in case.html",
        "campaign": PARTNERS,
        "metadata": PARTNERS,
    },
}
DECLARED = "onboarding/lead_fields.py"
EDIT = {
    "request": f"{DECLARED}, or for other shapes than a plain value onboarding/api/serializers.py",
    "answer": f"{DECLARED}, or for other shapes onboarding/api/representations.py",
    "form": f"{DECLARED} (`label`), or for other shapes onboarding/flow/forms/",
    "overview": f"{DECLARED} (`label`), or for other shapes onboarding/services/leads/overviews.py",
    "record": f"{DECLARED} (a list that onboarding/admin/leads.py and owners.py take), or there",
    "case": f"{DECLARED} (`staff_label`), or for other shapes onboarding/admin/case_people.py",
    "page": "onboarding/admin/case.py or templates/admin/onboarding/application/about.html",
}


@dataclass(frozen=True)
class Rows:
    """A lead with an owner and an application, none of them saved."""

    lead: Lead
    owner: Owner
    application: Application


def make_rows(changed=None, name=""):
    """Return rows with the first value of each column, and the second of one column."""
    values = {
        model: {column: pair[(model, column) == (changed, name)] for column, pair in pairs.items()}
        for model, pairs in COLUMNS.items()
    }
    lead = Lead(pk=1, partner=Partner(pk=1, name="Acme"), **values[Lead])
    owner = Owner(pk=1, lead=lead, **values[Owner])
    Owner.invitation.related.set_cached_value(owner, None)  # there is no database to ask
    return Rows(lead, owner, Application(pk=1, lead=lead, **values[Application]))


def answer(rows):
    return LeadFileSerializer().to_representation(Answer(rows.application, [rows.owner]))


def form(rows):
    forms = [ApplicantForm(rows.lead), BusinessForm(rows.lead), OwnerForm(rows.owner)]
    return [
        (name, form[name].value(), str(form[name].help_text))
        for form in forms
        for name in form.fields
        if name != "seen_marks"
    ]


def overview(rows):
    holders = [
        Holder(person, is_applicant, bool(person.is_control_person), edit_url="")
        for person, is_applicant in ((rows.lead, True), (rows.owner, False))
    ]
    people = [(one.person.full_name, one.is_control_person, one.lines) for one in holders]
    return people, about_business(rows.lead)


def record(rows):
    """Return the facts of the pages of a lead and of an owner in the back office."""
    return [
        getattr(screen, name)(row) if hasattr(screen, name) else getattr(row, name)
        for screen, row in (
            (LeadAdmin(Lead, site), rows.lead),
            (OwnerAdmin(Owner, site), rows.owner),
        )
        for name in [*flatten_fieldsets(screen.fieldsets), "suppliers"]
    ]


def case(rows):
    return (
        [person_card(person) for person in (rows.lead, rows.owner)],
        business_facts(rows.lead),
        numbers_of(rows.lead, {"ein": "EIN"}),
        answers_of(rows.lead),
    )


def judge(place, model, shown):
    """Fail if a column is neither shown nor excluded, or both."""
    excluded = EXCLUDED.get((place, model), {})
    missing = COLUMNS[model].keys() - shown - excluded.keys()
    needless = shown & excluded.keys()
    assert not missing, (
        f"Add {missing} of {model.__name__} to {EDIT[place]}, or give the reason in EXCLUDED of "
        f"{__file__}."
    )
    assert not needless, f"Remove {needless} from EXCLUDED of {__file__}: {place} has it."


@pytest.mark.parametrize("model", COLUMNS)
def test_each_column_has_two_values_here_or_is_internal(model):
    columns = {field.name for field in model._meta.concrete_fields}
    listed = COLUMNS[model].keys() | INTERNAL[model].keys()

    assert not columns - listed, f"Give {columns - listed} two values or a reason in {__file__}."
    assert not listed - columns, (
        f"Add {listed - columns} to {model.__name__} in onboarding/models/, or remove the values "
        f"from {__file__}."
    )


@pytest.mark.parametrize("model", [Lead, Owner])
def test_each_column_with_a_default_of_the_database_has_one_of_the_code(model):
    fields = [field for field in model._meta.concrete_fields if field.has_db_default()]
    names = {field.name for field in fields if not field.has_default()}

    assert not names, (
        f"Give {names} a default in onboarding/models/{model._meta.model_name}s.py: null of a "
        "partner sets it."
    )


@pytest.mark.parametrize(
    ("model", "serializer"), [(Lead, LeadSerializer), (Owner, OwnerSerializer)]
)
def test_each_column_can_be_sent_or_is_excluded_with_a_reason(model, serializer):
    sources = {field.source for field in serializer().fields.values()}

    judge("request", model, sources & COLUMNS[model].keys())


@pytest.mark.parametrize(
    ("place", "model"),
    [*product([answer, form, overview, record, case], [Lead, Owner]), (answer, Application)],
)
def test_each_column_is_shown_or_is_excluded_with_a_reason(place, model):
    before = place(make_rows())

    shown = {name for name in COLUMNS[model] if place(make_rows(model, name)) != before}

    judge(place.__name__, model, shown)


def test_each_column_of_an_application_is_on_its_case_or_is_excluded(make_application):
    application = make_application(**FIRST)
    staff = sign_in(User.objects.create_superuser("chief@example.com"))
    path = f"/admin/onboarding/application/{application.pk}/change/"

    def read(**values):
        Application.objects.update(**values)
        return re.sub(r"<[^>]+>", "", staff.get(path).content.decode())

    before = read()

    shown = {
        name
        for name, (_, second) in APPLICATION.items()
        if read(**{**FIRST, name: second}) != before
    }

    judge("page", Application, shown)
