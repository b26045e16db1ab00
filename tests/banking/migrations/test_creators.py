"""The creators of staff accounts that are older than their column."""

from importlib import import_module

from django.apps import apps
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry

from banking.models import User

fill_creators = import_module("banking.migrations.0019_creators_and_staff_events").fill_creators


def test_the_logged_creator_is_filled_in_and_nobody_else(db):
    rosa, sam, dana, dora = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF")
        for name in ("rosa", "sam", "dana", "dora")
    )
    kept = User.objects.create_user("kept@example.com", user_type="STAFF", created_by=sam)
    customer = User.objects.create_user("owner@example.com")
    for flag, who, user in [
        (ADDITION, rosa, dana),
        (CHANGE, sam, dana),
        (CHANGE, sam, dora),
        (ADDITION, rosa, kept),
        (ADDITION, rosa, customer),
        (ADDITION, rosa, rosa),
    ]:
        LogEntry.objects.log_actions(who.pk, [user], flag, "")

    fill_creators(apps, None)

    people = User.objects.order_by("pk")
    creators = {user.email.partition("@")[0]: user.created_by for user in people}
    assert creators == {
        "rosa": None,
        "sam": None,
        "dana": rosa,
        "dora": None,
        "kept": sam,
        "owner": None,
    }
