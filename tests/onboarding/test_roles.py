"""The roles of staff, and the groups that the migration made of them."""

import importlib
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import connection

from onboarding.roles import ADMINISTRATOR, APPROVER, AUDITOR, REVIEWER, ROLES, VIEWER

pytestmark = pytest.mark.django_db
NAMES = [
    "0012_roles",
    "0027_roles_see_staff_changes",
    "0032_roles_see_feeds",
    "0033_roles_see_reconciliations",
    "0036_administrators_change_prices",
    "0041_administrators_send_records",
    "0043_firms_seen_by_staff",
    "0056_operations_role",
    "0063_roles_see_notifications",
    "0067_searches_of_support",
    "0069_roles_see_verifications",
    "0072_roles_see_the_policy",
    "0075_records_of_customers",
    "0077_quality_check_roles",
    "0079_roles_see_routing",
    "0082_hits_seen_by_staff",
    "0083_messages",
    "0084_open_documents",
    "0086_support_sees_cases",
]
MIGRATIONS = [importlib.import_module(f"onboarding.migrations.{name}") for name in NAMES]
DECIDING = {"decide_application", "confirm_application", "reveal_number", "review_application"}


def permissions_of(group):
    found = group.permissions.values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in found}


def actions_of(role):
    return {permission.partition(".")[2] for permission in role.permissions}


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_the_group_of_a_role_may_do_what_the_role_says(role):
    assert permissions_of(Group.objects.get(name=role.name)) == role.permissions


def test_each_permission_is_called_what_django_would_call_it():
    event = Permission.objects.get(codename="view_event")
    claim = Permission.objects.get(codename="review_application")

    assert event.name == "Can view event"
    assert claim.name == "Can claim cases, ask for what is missing and write notes"


def test_a_second_run_restores_what_is_gone_and_adds_nothing_else():
    Group.objects.get(name="Viewer").delete()
    Group.objects.get(name="Auditor").permissions.clear()
    count = Permission.objects.count()

    for migration in MIGRATIONS:
        migration.add(apps, SimpleNamespace(connection=connection))

    assert permissions_of(Group.objects.get(name="Viewer")) == VIEWER.permissions
    assert permissions_of(Group.objects.get(name="Auditor")) == AUDITOR.permissions
    assert Permission.objects.count() == count


def test_a_viewer_and_an_auditor_only_read():
    assert _besides_views(VIEWER) == {"open_document"}
    assert _besides_views(AUDITOR) == {"open_document", "export_audit"}


def _besides_views(role):
    return {one for one in actions_of(role) if not one.startswith("view_")}


def test_who_looks_after_people_neither_decides_nor_reveals():
    assert not (DECIDING | {"open_document"}) & actions_of(ADMINISTRATOR)


def test_nobody_who_decides_looks_after_people():
    assert not {"add_user", "change_user", "view_group"} & actions_of(APPROVER)
    assert actions_of(REVIEWER) < actions_of(APPROVER)
