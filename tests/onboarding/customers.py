"""Customers for tests of several modules: approved applications with their accounts."""

from django.db import transaction

from banking.models import BusinessOwner
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ReviewCause, Risk
from onboarding.models import Application, Customer, CustomerCase
from onboarding.services.applications import account_opening
from onboarding.services.customers import case_claims, reviews
from onboarding.services.events.history import CLOCK, Actor, Role
from tests.factories import NOON
from tests.onboarding.cases import load
from tests.onboarding.services.leads.test_submissions import make_complete, make_complete_owner

REVIEWER = Actor(Role.REVIEWER, "ada")


def make_customer(*, risk=Risk.LOW, at=NOON, owners=(), **values):
    """Return a customer as an approval makes it, with the values of its other owners."""
    application = make_complete(**values)
    for one in owners:
        make_complete_owner(application.lead, **one)
    approved = Application.objects.filter(pk=application.pk)
    approved.update(status=Status.APPROVED, status_changed_at=at, risk=risk)
    account_opening.open_account(load(application), by=REVIEWER, at=at)
    return load_customer(application)


def load_customer(application):
    return Customer.objects.select_related("lead", "application", "business").get(
        application=application
    )


def reload(row):
    return type(row).objects.get(pk=row.pk)


def make_review(customer=None, *, cause=ReviewCause.DUE, by=None, at=NOON):
    """Return an open review, claimed by somebody if they are named."""
    with transaction.atomic():
        locked = reviews.lock_customer(customer or make_customer())
        review = reviews.open_review(locked, cause, by=CLOCK, at=at)
    return case_claims.claim(review, by=by, at=at) if by else review


def cases_of(customer):
    return list(CustomerCase.objects.filter(customer=customer).order_by("pk"))


def owners_of(customer):
    return BusinessOwner.objects.filter(business=customer.business).order_by("pk")


def owner_of(customer, email=None):
    """Return the owner with an email, or else the one who opened the account."""
    return (
        owners_of(customer)
        .select_related("business", "user")
        .get(email=email or customer.lead.email)
    )


def events_of(customer):
    """Return the types and details of the lead's events about customers and their cases."""
    found = customer.lead.events.filter(type__startswith="customer").order_by("number")
    return list(found.values_list("type", "details"))


def types_of(customer):
    return [event_type for event_type, _ in events_of(customer)]
