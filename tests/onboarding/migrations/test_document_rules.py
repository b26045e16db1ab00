"""The checklist to start with."""

import importlib

import pytest
from django.apps import apps

from onboarding.models import DocumentRule

MIGRATION = importlib.import_module("onboarding.migrations.0003_document_rules")


@pytest.mark.django_db
def test_a_second_run_restores_what_is_gone_and_keeps_what_staff_wrote():
    gone, edited = DocumentRule.objects.all()[:2]
    gone.delete()
    DocumentRule.objects.filter(pk=edited.pk).update(message="As staff wrote it.")
    count = DocumentRule.objects.count()

    MIGRATION.add(apps, None)

    assert DocumentRule.objects.count() == count + 1
    assert DocumentRule.objects.get(pk=edited.pk).message == "As staff wrote it."
