"""Reviewers, and cases that one of them has claimed."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, DocumentRule
from tests.onboarding.cases import ada, bob, load, make_checked_case

__all__ = ["ada", "bob"]


@pytest.fixture
def without_a_checklist(db):
    """Require no document but those that are asked for."""
    DocumentRule.objects.all().delete()


@pytest.fixture
def make(ada):
    """Return a function that makes a checked case that Ada has claimed."""

    def make(status=Status.IN_REVIEW, **values):
        case = make_checked_case(status, by=ada)
        Application.objects.filter(pk=case.pk).update(**values)
        return load(case)

    return make
